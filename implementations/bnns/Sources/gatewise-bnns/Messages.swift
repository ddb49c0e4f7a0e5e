// Requests, cases and tensors of the serve protocol.

import Foundation

struct Request: Decodable {
    let type: String
    let id: Int
    let `case`: Case?

    init(line: String) throws {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        self = try decoder.decode(Request.self, from: Data(line.utf8))
    }
}

/// One recurrent node with its inputs; valid or not.
struct Case: Decodable {
    let operation: String
    let opset: Int
    let attributes: [String: Value]
    let inputs: [String: Tensor]
    let outputs: [String]

    private enum CodingKeys: String, CodingKey {
        case operation = "operator"
        case opset, attributes, inputs, outputs
    }

    init(from decoder: Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        operation = try fields.decode(String.self, forKey: .operation)
        opset = try fields.decode(Int.self, forKey: .opset)
        outputs = try fields.decode([String].self, forKey: .outputs)
        let named = try fields.decode([Attribute].self, forKey: .attributes).map { ($0.name, $0.value) }
        attributes = Dictionary(uniqueKeysWithValues: named)
        let tensors = try fields.decode([Tensor].self, forKey: .inputs).map { ($0.name, $0) }
        inputs = Dictionary(uniqueKeysWithValues: tensors)
    }
}

enum Value {
    case int(Int)
    case float(Double)
    case string(String)
    case strings([String])
    /// A list of numbers, of which gru takes none.
    case numbers
}

struct Attribute: Decodable {
    let name: String
    let value: Value

    private enum CodingKeys: String, CodingKey {
        case name, type, value
    }

    init(from decoder: Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        name = try fields.decode(String.self, forKey: .name)
        switch try fields.decode(String.self, forKey: .type) {
        case "int": value = .int(try fields.decode(Int.self, forKey: .value))
        case "float": value = .float(try fields.decode(Double.self, forKey: .value))
        case "string": value = .string(try fields.decode(String.self, forKey: .value))
        case "strings": value = .strings(try fields.decode([String].self, forKey: .value))
        default: value = .numbers
        }
    }
}

/// Elements in C order, little-endian as every Mac is, in base64.
struct Tensor: Decodable {
    let name: String
    let dtype: String
    let shape: [Int]
    let data: String

    init(name: String, shape: [Int], values: [Float]) {
        self.name = name
        self.dtype = "float32"
        self.shape = shape
        self.data = values.withUnsafeBytes { Data($0) }.base64EncodedString()
    }

    var json: [String: Any] {
        ["name": name, "dtype": dtype, "shape": shape, "data": data]
    }

    /// The elements, or nil where they are of another type.
    func elements<Element: Numeric>(_ type: Element.Type, named wanted: String) -> [Element]? {
        guard dtype == wanted, let bytes = Data(base64Encoded: data) else { return nil }
        var values = [Element](repeating: 0, count: bytes.count / MemoryLayout<Element>.stride)
        _ = values.withUnsafeMutableBytes { bytes.copyBytes(to: $0) }
        return values
    }
}

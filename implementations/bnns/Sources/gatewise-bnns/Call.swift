// A GRU case as the parameters of gru.

/// Why a case is not run; `kind` is "invalid" or "unsupported".
struct Refusal: Error {
    let message: String
    let kind: String

    static func invalid(_ message: String) -> Refusal { Refusal(message: message, kind: "invalid") }
    static func unsupported(_ message: String) -> Refusal { Refusal(message: message, kind: "unsupported") }
}

/// What bias and inputBias hold where applyResetGateAfterMatMul is false: the sum and zeros, or b_h and b_i.
enum Biases: String {
    case parameter, formula

    init?(arguments: [String]) {
        guard arguments.isEmpty || (arguments.count == 2 && arguments[0] == "--biases") else { return nil }
        self.init(rawValue: arguments.last ?? "parameter")
    }
}

enum Activation: String {
    case relu, sigmoid, tanh
    /// ONNX's Affine with its default alpha and beta.
    case linear = "affine"
}

/// The parameters under the names of Apple's page; tensors in C order.
struct Call {
    let steps, rows, inputs, hidden: Int
    let x, initialHiddenStates, inputHiddenWeight, hiddenHiddenWeight, bias, inputBias: [Float]
    let activation, recurrentActivation: Activation
    let isReverse, applyResetGateAfterMatMul: Bool
    private let layout: Int

    /// Throws a Refusal where the case is not valid or gru cannot express it.
    init(of layer: Case, biases: Biases) throws {
        guard layer.operation == "GRU" else { throw Refusal.unsupported("only GRU is implemented") }
        let attributes = try Attributes(of: layer)
        guard let X = layer.inputs["X"], let R = layer.inputs["R"], X.shape.count == 3, R.shape.count == 3 else {
            throw Refusal.invalid("X and R of three dimensions are required")
        }
        layout = attributes.layout
        steps = X.shape[layout]
        rows = X.shape[1 - layout]
        inputs = X.shape[2]
        hidden = R.shape[2]
        guard steps > 0, rows > 0, inputs > 0, hidden > 0 else {
            throw Refusal.unsupported("Apple's page says nothing of a size of 0")
        }
        if let size = attributes.hiddenSize, size != hidden {
            throw Refusal.invalid("hidden_size is \(size), but R's last dimension is \(hidden)")
        }
        activation = attributes.activations.1
        recurrentActivation = attributes.activations.0
        isReverse = attributes.isReverse
        applyResetGateAfterMatMul = attributes.linearBeforeReset

        let given = Inputs(of: layer)
        try given.checkLengths(steps: steps, rows: rows)
        let isRowsFirst = layout == 1
        let X_ = try given.floats("X", isRowsFirst ? [rows, steps, inputs] : [steps, rows, inputs])
        x = isRowsFirst ? swapped(X_, rows, steps, inputs) : X_
        // With one direction the states are the same in either layout.
        let stateShape = isRowsFirst ? [rows, 1, hidden] : [1, rows, hidden]
        initialHiddenStates =
            try given.floatsIfPresent("initial_h", stateShape) ?? zeros(rows * hidden)
        inputHiddenWeight = inPageOrder(try given.floats("W", [1, 3 * hidden, inputs]))
        hiddenHiddenWeight = inPageOrder(try given.floats("R", [1, 3 * hidden, hidden]))
        let B = try given.floatsIfPresent("B", [1, 6 * hidden]) ?? zeros(6 * hidden)
        let ofInput = inPageOrder(Array(B[..<(3 * hidden)]))
        let ofState = inPageOrder(Array(B[(3 * hidden)...]))
        if applyResetGateAfterMatMul || biases == .formula {
            bias = ofState
            inputBias = ofInput
        } else {
            bias = zip(ofInput, ofState).map { $0 + $1 }
            inputBias = zeros(3 * hidden)
        }
    }

    /// ONNX's outputs from gru's, if output[t] belongs to x[t] and hiddenStates is the last computed state.
    func outputs(of result: (output: [Float], hiddenStates: [Float])) -> [Tensor] {
        let isRowsFirst = layout == 1
        let Y = isRowsFirst ? swapped(result.output, steps, rows, hidden) : result.output
        return [
            Tensor(name: "Y", shape: isRowsFirst ? [rows, steps, 1, hidden] : [steps, 1, rows, hidden], values: Y),
            Tensor(
                name: "Y_h", shape: isRowsFirst ? [rows, 1, hidden] : [1, rows, hidden],
                values: result.hiddenStates),
        ]
    }
}

/// The attributes with ONNX's defaults.
private struct Attributes {
    var layout = 0
    var hiddenSize: Int?
    var isReverse = false
    var linearBeforeReset = false
    var activations = (Activation.sigmoid, Activation.tanh)

    init(of layer: Case) throws {
        guard layer.opset >= 7 else { throw Refusal.invalid("opset \(layer.opset) is below 7") }
        for (name, value) in layer.attributes {
            switch (name, value) {
            case ("layout", .int(let layout)) where layout == 0 || layout == 1:
                guard layer.opset >= 14 else { throw Refusal.invalid("layout needs opset 14") }
                self.layout = layout
            case ("hidden_size", .int(let size)): hiddenSize = size
            case ("linear_before_reset", .int(let flag)): linearBeforeReset = flag != 0
            case ("direction", .string("forward")): isReverse = false
            case ("direction", .string("reverse")): isReverse = true
            case ("clip", .float(let clip)) where !(clip > 0 && clip.isFinite): break  // no clip (D02)
            case ("activations", .strings(let names)): activations = try Self.pair(names)
            default: throw Refusal.unsupported("attribute \(name) is unknown to gru, or has such a value")
            }
        }
    }

    private static func pair(_ names: [String]) throws -> (Activation, Activation) {
        let found = names.compactMap { Activation(rawValue: $0.lowercased()) }
        guard names.count == 2, found.count == 2 else {
            throw Refusal.unsupported("activations are \(names), but gru takes two of relu, sigmoid, tanh, linear")
        }
        return (found[0], found[1])
    }
}

/// The tensors, checked for type and shape as they are read.
private struct Inputs {
    private let tensors: [String: Tensor]

    init(of layer: Case) { tensors = layer.inputs }

    func floats(_ name: String, _ shape: [Int]) throws -> [Float] {
        guard let values = try floatsIfPresent(name, shape) else { throw Refusal.invalid("\(name) is required") }
        return values
    }

    func floatsIfPresent(_ name: String, _ shape: [Int]) throws -> [Float]? {
        guard let tensor = tensors[name] else { return nil }
        guard let values = tensor.elements(Float.self, named: "float32") else {
            throw Refusal.unsupported("\(name) is \(tensor.dtype), but only float32 is implemented")
        }
        guard tensor.shape == shape, values.count == shape.reduce(1, *) else {
            throw Refusal.invalid("\(name) has shape \(tensor.shape), but must have \(shape)")
        }
        return values
    }

    func checkLengths(steps: Int, rows: Int) throws {
        guard let tensor = tensors["sequence_lens"] else { return }
        guard let lengths = tensor.elements(Int32.self, named: "int32"), tensor.shape == [rows] else {
            throw Refusal.invalid("sequence_lens must be int32 of shape \([rows])")
        }
        guard lengths.allSatisfy({ $0 == steps }) else {
            throw Refusal.unsupported("gru has no lengths of rows")
        }
    }
}

private func zeros(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }

/// Blocks z, r, h as r, h, z, which the page calls r, n, z.
private func inPageOrder(_ array: [Float]) -> [Float] {
    let block = array.count / 3
    return [1, 2, 0].flatMap { array[($0 * block)..<(($0 + 1) * block)] }
}

/// An array [first, second, third] with its first two axes swapped.
private func swapped(_ array: [Float], _ first: Int, _ second: Int, _ third: Int) -> [Float] {
    (0..<second).flatMap { j in
        (0..<first).flatMap { i in array[((i * second + j) * third)..<((i * second + j + 1) * third)] }
    }
}

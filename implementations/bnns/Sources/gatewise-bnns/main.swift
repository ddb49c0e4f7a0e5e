// Answers the requests of gatewise, one line of JSON for each (docs/serve-protocol.md).

import Foundation

setvbuf(stdout, nil, _IOLBF, 0)

guard let biases = Biases(arguments: Array(CommandLine.arguments.dropFirst())) else {
    FileHandle.standardError.write(Data("usage: gatewise-bnns [--biases parameter|formula]\n".utf8))
    exit(2)
}

while let line = readLine() {
    let request: Request
    do {
        request = try Request(line: line)
    } catch {
        FileHandle.standardError.write(Data("no request: \(error)\n".utf8))
        exit(1)
    }
    let answer = reply(to: request, biases: biases).merging(["id": request.id]) { own, _ in own }
    let data = try JSONSerialization.data(withJSONObject: answer)
    print(String(decoding: data, as: UTF8.self))
}

func reply(to request: Request, biases: Biases) -> [String: Any] {
    guard request.type == "run", let layer = request.case else {
        return [
            "type": "description",
            "name": "bnns",
            "versions": ["macOS": ProcessInfo.processInfo.operatingSystemVersionString],
            "settings": ["biases": biases.rawValue],
        ]
    }
    do {
        let call = try Call(of: layer, biases: biases)
        let outputs = try call.outputs(of: gru(call))
        return ["type": "ran", "outputs": outputs.filter { layer.outputs.contains($0.name) }.map(\.json)]
    } catch let refusal as Refusal {
        return ["type": "refused", "message": refusal.message, "kind": refusal.kind]
    } catch {
        return ["type": "raised", "exception": "\(type(of: error))", "message": "\(error)"]
    }
}

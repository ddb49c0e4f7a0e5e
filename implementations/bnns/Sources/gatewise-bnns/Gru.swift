// The call of BNNS.
//
// Source: Apple's pages of BNNSGraph.makeContext, BNNSGraph.Builder, BNNSGraph.Builder.Tensor.gru and BNNSGraph.Context.

import Accelerate

/// output [steps, rows, hidden] and hiddenStates [rows, hidden], as BNNS computes them.
func gru(_ call: Call) throws -> (output: [Float], hiddenStates: [Float]) {
    let context = try BNNSGraph.makeContext { builder in
        let x = builder.argument(name: "x", dataType: Float.self, shape: [call.steps, call.rows, call.inputs])
        let initialHiddenStates = builder.argument(
            name: "initialHiddenStates", dataType: Float.self, shape: [call.rows, call.hidden])
        let result = x.gru(
            initialHiddenStates: initialHiddenStates,
            inputHiddenWeight: builder.constant(
                values: call.inputHiddenWeight, shape: [3 * call.hidden, call.inputs]),
            hiddenHiddenWeight: builder.constant(
                values: call.hiddenHiddenWeight, shape: [3 * call.hidden, call.hidden]),
            bias: builder.constant(values: call.bias, shape: [3 * call.hidden]),
            inputBias: builder.constant(values: call.inputBias, shape: [3 * call.hidden]),
            direction: call.isReverse ? .reverse : .forward,
            activation: call.activation.bnns,
            recurrentActivation: call.recurrentActivation.bnns,
            applyResetGateAfterMatMul: call.applyResetGateAfterMatMul,
            outputSequence: true)
        return [result.output, result.hiddenStates]
    }
    var arguments = context.argumentNames().map {
        context.tensor(argument: $0, fillKnownDynamicShapes: false)!
    }
    defer { arguments.forEach { $0.deallocate() } }
    // What the closure returns stands first, in its order.
    arguments[0].allocate(as: Float.self, count: call.steps * call.rows * call.hidden)
    arguments[1].allocate(as: Float.self, count: call.rows * call.hidden)
    arguments[context.argumentPosition(argument: "x")].allocate(initializingFrom: call.x)
    arguments[context.argumentPosition(argument: "initialHiddenStates")].allocate(
        initializingFrom: call.initialHiddenStates)
    try context.executeFunction(arguments: &arguments)
    return (arguments[0].makeArray(of: Float.self), arguments[1].makeArray(of: Float.self))
}

extension Activation {
    fileprivate var bnns: BNNSGraph.Builder.Activation {
        switch self {
        case .relu: .relu
        case .sigmoid: .sigmoid
        case .tanh: .tanh
        case .linear: .linear
        }
    }
}

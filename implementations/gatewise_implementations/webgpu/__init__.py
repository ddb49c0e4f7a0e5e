"""RNN, GRU and LSTM in WGSL: the contract of the WebGPU kernel ai.onnx.RNN, and the two others on the same parts."""

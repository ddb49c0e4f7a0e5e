"""What a case is: operators, activations, cases, their ONNX form and the store."""

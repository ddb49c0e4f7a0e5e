// swift-tools-version: 6.0

import PackageDescription

let package = Package(
    name: "gatewise-bnns",
    platforms: [.macOS("26.0")],
    targets: [.executableTarget(name: "gatewise-bnns")],
    swiftLanguageModes: [.v5]
)

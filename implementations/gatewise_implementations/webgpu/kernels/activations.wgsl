// The activation functions. WGSL promises too little of its own exp and tanh ("Accuracy"), and a shader compiler may
// assume that there is no NaN, so that one is told by its bits wherever it would take another way than its number.

const LOG2_E = 1.4426950408889634;
const LN_2_HIGH = 0.693145751953125; // 15 bits, so that its product by an integer below 2^9 is exact
const LN_2_LOW = 1.4286068203094172e-6;
const LOWEST_EXPONENT = -126.0; // below, results would be subnormal

fn is_nan(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

fn at_least(x: f32, low: f32) -> f32 {
  if (is_nan(x)) {
    return x;
  }
  return max(x, low);
}

fn between(x: f32, low: f32, high: f32) -> f32 {
  if (is_nan(x)) {
    return x;
  }
  return min(max(x, low), high);
}

// e^r - 1 for |r| <= ln(2) / 2: Taylor's polynomial, whose rest is below 2^-27.
fn expm1_near_zero(r: f32) -> f32 {
  let tail = 1.0 / 120.0 + r * (1.0 / 720.0 + r * (1.0 / 5040.0));
  return r + r * r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * tail)));
}

struct Reduced {
  scale: f32, // 2^n
  rest: f32, // e^r - 1, where x = n ln(2) + r
}

fn reduced(x: f32) -> Reduced {
  let n = round(x * LOG2_E);
  return Reduced(bitcast<f32>(u32(i32(n) + 127) << 23u), expm1_near_zero((x - n * LN_2_HIGH) - n * LN_2_LOW));
}

// e^x for x <= 0; 0 instead of subnormal numbers.
fn exp_of(x: f32) -> f32 {
  if (is_nan(x)) {
    return x;
  }
  if (x * LOG2_E <= LOWEST_EXPONENT) {
    return 0.0;
  }
  let parts = reduced(x);
  return parts.scale + parts.scale * parts.rest;
}

// e^x - 1 for x <= 0.
fn expm1_of(x: f32) -> f32 {
  if (is_nan(x)) {
    return x;
  }
  if (x * LOG2_E <= LOWEST_EXPONENT) {
    return -1.0;
  }
  let parts = reduced(x);
  return (parts.scale - 1.0) + parts.scale * parts.rest;
}

// log(1 + t) for 0 <= t <= 1, as 2 artanh(s) with s = t / (2 + t) <= 1/3: a series whose rest is below 2^-29.
fn log1p_of(t: f32) -> f32 {
  let s = t / (2.0 + t);
  let z = s * s;
  let tail = z * (1.0 / 9.0 + z * (1.0 / 11.0 + z * (1.0 / 13.0 + z * (1.0 / 15.0))));
  return 2.0 * s + 2.0 * s * z * (1.0 / 3.0 + z * (1.0 / 5.0 + z * (1.0 / 7.0 + tail)));
}

fn tanh_of(x: f32) -> f32 {
  let m = expm1_of(-2.0 * abs(x));
  let magnitude = -m / (2.0 + m);
  return select(magnitude, -magnitude, x < 0.0);
}

fn sigmoid_of(x: f32) -> f32 {
  let e = exp_of(-abs(x));
  return select(1.0, e, x < 0.0) / (1.0 + e);
}

fn apply(activation: Activation, x: f32) -> f32 {
  let alpha = activation.alpha;
  let beta = activation.beta;
  switch (activation.kind) {
    case RELU: {
      return at_least(x, 0.0);
    }
    case TANH: {
      return tanh_of(x);
    }
    case SIGMOID: {
      return sigmoid_of(x);
    }
    case AFFINE: {
      return alpha * x + beta;
    }
    case LEAKYRELU: {
      return select(x, alpha * x, x < 0.0);
    }
    case THRESHOLDEDRELU: {
      return select(0.0, x, x > alpha && !is_nan(x));
    }
    case SCALEDTANH: {
      return alpha * tanh_of(beta * x);
    }
    case HARDSIGMOID: {
      return between(alpha * x + beta, 0.0, 1.0);
    }
    case ELU: {
      if (x >= 0.0) {
        return x;
      }
      return alpha * expm1_of(x);
    }
    case SOFTSIGN: {
      return x / (1.0 + abs(x));
    }
    default: { // SOFTPLUS
      if (x > 20.0) {
        return x;
      }
      return select(0.0, x, x > 0.0) + log1p_of(exp_of(-abs(x)));
    }
  }
}

// The activation f, g or h (0, 1, 2) of a direction.
fn activate(direction: u32, which: u32, x: f32) -> f32 {
  return apply(layer.activations[direction * 3u + which], x);
}

// The same of an input to which the clip applies.
fn activate_clipped(direction: u32, which: u32, x: f32) -> f32 {
  if (layer.has_clip == 0u) {
    return activate(direction, which, x);
  }
  return activate(direction, which, between(x, -layer.clip, layer.clip));
}

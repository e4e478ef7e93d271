#include "render/export/templates.h"

namespace softwood::render {

const std::string_view java_math_template = R"java(@if exp
    private static final double[] EXP_SERIES = {
        1.0 / 6227020800.0, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
        1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5
    };

    // 2^n for the whole number n in the low bits of n + 1.5 * 2^52.
    private static double powerOfTwo(double nAndMagic) {
        return Double.longBitsToDouble((Double.doubleToRawLongBits(nAndMagic) + 1023) << 52);
    }

    // exp from plain operations, which have the same bits everywhere.
    private static double exp(double x) {
        final double magic = 6755399441055744.0;
        double held = x < -746 ? -746 : x > 710 ? 710 : x;
        double n = (held * 1.4426950408889634 + magic) - magic;
        double high = held - n * 0.6931471803691238;
        double low = n * 1.9082149292705877e-10;
        double r = high - low;
        double lost = (high - r) - low;
        double series = 0;
        for (double coefficient : EXP_SERIES) {
            series = series * r + coefficient;
        }
        double sum = 1 + r;
        double rest = ((1 - sum) + r) + (lost + r * r * series);
        double halfAndMagic = 0.5 * n + magic;
        double half = halfAndMagic - magic;
        return (sum + rest) * powerOfTwo(halfAndMagic) * powerOfTwo((n - half) + magic);
    }

@end
@if asinh
    private static final double[] LOG_SERIES = {
        2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5,
        2.0 / 3
    };

    // log(u + error) + more * log(2) for u >= 1 and a small error of it.
    private static double log(double u, double error, double more) {
        long bits = Double.doubleToRawLongBits(u);
        int k = (int) (bits >>> 52) - 1022;
        double fraction =
                Double.longBitsToDouble((bits & 0x000fffffffffffffL) | 0x3fe0000000000000L);
        if (fraction < 0.7071067811865476) {
            fraction *= 2;
            k -= 1;
        }
        double f = fraction - 1;
        double s = f / (2 + f);
        double s2 = s * s;
        double series = 0;
        for (double coefficient : LOG_SERIES) {
            series = series * s2 + coefficient;
        }
        double halfSquare = 0.5 * f * f;
        double n = k + more;
        double low = n * 1.9082149292705877e-10 + error / u;
        double rest = halfSquare - (s * (halfSquare + s2 * series) + low);
        return n * 0.6931471803691238 - (rest - f);
    }

    private static double asinh(double x) {
        double size = Math.abs(x);
        if (!(size < Double.POSITIVE_INFINITY)) {
            return x;
        }
        if (size >= 268435456.0) {
            return Math.copySign(log(size, 0, 1), x);
        }
        double square = size * size;
        double y = size + square / (1 + Math.sqrt(1 + square));
        double u = 1 + y;
        return Math.copySign(log(u, u >= 2 ? 1 - (u - y) : y - (u - 1), 0), x);
    }

@end
@if softmax
    private static void softmax(double[] values) {
        double top = values[0];
        for (double value : values) {
            top = top < value ? value : top;
        }
        double sum = 0;
        for (int k = 0; k < values.length; k++) {
            values[k] = exp(values[k] - top);
            sum += values[k];
        }
        for (int k = 0; k < values.length; k++) {
            values[k] /= sum;
        }
    }

@end
)java";

}  // namespace softwood::render

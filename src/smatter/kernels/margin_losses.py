"""Losses of the margin models that are quadratic in pieces, and the exact search along a line that they allow.

A row with score f costs  positive · ℓ(f) + negative · ℓ(−f) + linear · f,  where ℓ is the squared hinge
ℓ(t) = max(0, 1 − t)², which goes on straight below the knee: where ξ = 1 − t > knee it is knee² + 2 knee (ξ − knee).
An infinite knee is the squared hinge of liblinear; a small one, with the weight divided by 2 knee, the plain hinge.
"""

from numba import njit


@njit(cache=True, nogil=True)
def loss_values(score, positive, negative, linear, knee, out):
    """Write what each row costs."""
    for row in range(score.shape[0]):
        cost = linear[row] * score[row]
        slack = 1.0 - score[row]
        if slack > 0.0 and positive[row] != 0.0:
            bent = min(slack, knee[row])
            cost += positive[row] * bent * (2.0 * slack - bent)
        slack = 1.0 + score[row]
        if slack > 0.0 and negative[row] != 0.0:
            bent = min(slack, knee[row])
            cost += negative[row] * bent * (2.0 * slack - bent)
        out[row] = cost


@njit(cache=True, nogil=True)
def loss_derivatives(score, positive, negative, linear, knee, slope, curvature):
    """Write the first and the (generalized) second derivative of each row's loss in its score."""
    for row in range(score.shape[0]):
        first, second = linear[row], 0.0
        slack = 1.0 - score[row]
        if slack > 0.0 and positive[row] != 0.0:
            first -= 2.0 * positive[row] * min(slack, knee[row])
            if slack < knee[row]:
                second += 2.0 * positive[row]
        slack = 1.0 + score[row]
        if slack > 0.0 and negative[row] != 0.0:
            first += 2.0 * negative[row] * min(slack, knee[row])
            if slack < knee[row]:
                second += 2.0 * negative[row]
        slope[row] = first
        curvature[row] = second


@njit(cache=True, nogil=True)
def _line_derivatives(step, score, change, positive, negative, linear, knee):
    first, second = 0.0, 0.0
    for row in range(score.shape[0]):
        moved = score[row] + step * change[row]
        first += linear[row] * change[row]
        slack = 1.0 - moved
        if slack > 0.0 and positive[row] != 0.0:
            first -= 2.0 * positive[row] * min(slack, knee[row]) * change[row]
            if slack < knee[row]:
                second += 2.0 * positive[row] * change[row] * change[row]
        slack = 1.0 + moved
        if slack > 0.0 and negative[row] != 0.0:
            first += 2.0 * negative[row] * min(slack, knee[row]) * change[row]
            if slack < knee[row]:
                second += 2.0 * negative[row] * change[row] * change[row]
    return first, second


@njit(cache=True, nogil=True)
def exact_step(score, change, losses, quadratic, step):
    """Write into step[0] the minimum of  s · quadratic[0] + s²/2 · quadratic[1] + Σ loss_i(score_i + s change_i).

    The derivative rises in straight pieces, so that safeguarded Newton steps end at its zero exactly.
    """
    positive, negative, linear, knee = losses
    low, high, guess = 0.0, -1.0, 1.0
    for _ in range(60):
        first, second = _line_derivatives(guess, score, change, positive, negative, linear, knee)
        first += quadratic[0] + guess * quadratic[1]
        second += quadratic[1]
        if first > 0.0:
            high = guess
        else:
            low = guess
        if second <= 0.0:
            break
        proposal = guess - first / second
        if high > 0.0 and not (low < proposal < high):
            proposal = 0.5 * (low + high) if proposal > high or proposal < low else proposal
        if abs(proposal - guess) <= 1e-10 * max(guess, 1e-10):
            guess = proposal
            break
        guess = max(proposal, 0.0)
    step[0] = guess

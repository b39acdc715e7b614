"""Products with the rows of a sparse matrix for the margin models: one sweep over the non-zeros each.

A row enters as x − mean with a constant feature ``intercept`` behind it; the subtraction is never carried out, so
that the rows stay sparse. A weight vector has one entry a column and the weight of the constant feature at its end.
"""

from numba import njit

_FLAGS = {"reassoc", "contract", "nsz", "arcp"}


@njit(cache=True, nogil=True, fastmath=_FLAGS)
def _shift(mean, intercept, vector):
    """What every row's product with the vector has in common."""
    total = 0.0
    for column in range(mean.shape[0]):
        total += mean[column] * vector[column]
    return intercept * vector[mean.shape[0]] - total


@njit(cache=True, nogil=True, fastmath=_FLAGS)
def row_products(rows, vector, out):
    """Write out[i] = (x_i − mean, intercept) · vector; ``rows`` is (indptr, indices, values, mean, intercept)."""
    indptr, indices, values, mean, intercept = rows
    shift = _shift(mean, intercept, vector)
    for row in range(out.shape[0]):
        total = 0.0
        for position in range(indptr[row], indptr[row + 1]):
            total += values[position] * vector[indices[position]]
        out[row] = total + shift


@njit(cache=True, nogil=True, fastmath=_FLAGS)
def row_combination(rows, coefficient, out):
    """Add Σ_i coefficient_i (x_i − mean, intercept) to out; rows with a coefficient of 0 cost nothing."""
    indptr, indices, values, mean, intercept = rows
    total = 0.0
    for row in range(coefficient.shape[0]):
        factor = coefficient[row]
        if factor != 0.0:
            total += factor
            for position in range(indptr[row], indptr[row + 1]):
                out[indices[position]] += factor * values[position]
    for column in range(mean.shape[0]):
        out[column] -= total * mean[column]
    out[mean.shape[0]] += total * intercept


@njit(cache=True, nogil=True, fastmath=_FLAGS)
def curvature_diagonal(rows, curvature, out):
    """Write the diagonal of I + Σ_i curvature_i x_i x_iᵀ, the mean left out: it only has to precondition."""
    indptr, indices, values, _, intercept = rows
    out[:] = 1.0
    for row in range(curvature.shape[0]):
        factor = curvature[row]
        if factor != 0.0:
            out[out.shape[0] - 1] += factor * intercept * intercept
            for position in range(indptr[row], indptr[row + 1]):
                out[indices[position]] += factor * values[position] * values[position]


@njit(cache=True, nogil=True, fastmath=_FLAGS)
def curvature_product(rows, curvature, vector, out):
    """Write out = (I + Σ_i curvature_i x_i x_iᵀ) vector: product and combination in one sweep."""
    indptr, indices, values, mean, intercept = rows
    shift = _shift(mean, intercept, vector)
    for column in range(out.shape[0]):
        out[column] = vector[column]
    total = 0.0
    for row in range(curvature.shape[0]):
        if curvature[row] != 0.0:
            product = shift
            for position in range(indptr[row], indptr[row + 1]):
                product += values[position] * vector[indices[position]]
            product *= curvature[row]
            total += product
            for position in range(indptr[row], indptr[row + 1]):
                out[indices[position]] += product * values[position]
    for column in range(mean.shape[0]):
        out[column] -= total * mean[column]
    out[mean.shape[0]] += total * intercept


@njit(cache=True, nogil=True, fastmath=_FLAGS)
def newton_direction(rows, curvature, diagonal, gradient, work, target, max_iter, direction):
    """Solve (I + Σ curvature_i x_i x_iᵀ) direction = −gradient by preconditioned conjugate gradients.

    ``work`` holds three vectors; it stops at residual² ≤ target.
    """
    residual, search, image = work[0], work[1], work[2]
    slope, norm = 0.0, 0.0
    for column in range(gradient.shape[0]):
        direction[column] = 0.0
        residual[column] = -gradient[column]
        search[column] = residual[column] / diagonal[column]
        slope += residual[column] * search[column]
    for _ in range(max_iter):
        curvature_product(rows, curvature, search, image)
        bend = 0.0
        for column in range(gradient.shape[0]):
            bend += search[column] * image[column]
        if bend <= 0.0:
            break
        step = slope / bend
        norm, new_slope = 0.0, 0.0
        for column in range(gradient.shape[0]):
            direction[column] += step * search[column]
            residual[column] -= step * image[column]
            norm += residual[column] * residual[column]
            new_slope += residual[column] * residual[column] / diagonal[column]
        if norm <= target:
            break
        ratio = new_slope / slope
        slope = new_slope
        for column in range(gradient.shape[0]):
            search[column] = residual[column] / diagonal[column] + ratio * search[column]

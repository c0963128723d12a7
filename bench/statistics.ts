/** The value below which the share `rank` (0 to 1) of the values lies, interpolated between neighbours. */
export function quantile(values: number[], rank: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const position = (sorted.length - 1) * rank
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position % 1)
}

/** The middle value, or the mean of the two middle ones. */
export const median = (values: number[]): number => quantile(values, 0.5)

/** The smallest and the largest value in words, for a row's note. */
export const spread = (values: number[], digits = 0): string =>
  `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`

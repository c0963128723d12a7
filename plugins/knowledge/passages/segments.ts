/**
 * Yields the segments of a text, like `segmenter.segment`. V8 copies the whole text for each segment, so this segments at
 * most about `length` characters at a time. Between two of these parts is a sentence's end, or what is no word.
 */
export function* segmentInParts(
  segmenter: Intl.Segmenter,
  text: string,
  length: number,
): Generator<Intl.SegmentData> {
  let start = 0
  let wanted = length
  while (start < text.length) {
    const end = start + wanted
    const found = [...segmenter.segment(text.slice(start, end))]
    if (end < text.length) {
      // The last one may go on.
      found.pop()
      const last = found.findLastIndex(({ isWordLike }) => !isWordLike)
      found.splice(Math.max(last, 0))
      if (found.length === 0) {
        wanted *= 2
        continue
      }
    }
    yield* found
    start += found.reduce((sum, { segment }) => sum + segment.length, 0)
    wanted = length
  }
}

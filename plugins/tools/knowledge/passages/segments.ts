/**
 * Yields the segments of a text, in parts of about `length` characters, because V8 copies the whole text that it segments
 * for each segment. A part ends between two sentences, or before a blank or a sign between two words.
 */
export function* segmentInParts(
  segmenter: Intl.Segmenter,
  text: string,
  length: number,
): Generator<Pick<Intl.SegmentData, 'segment' | 'isWordLike'>> {
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

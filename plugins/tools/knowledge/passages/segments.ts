/**
 * Yields the segments of a text, in parts of about `length` characters, because V8 copies the whole text that it
 * segments for each segment. A part ends between two sentences, or before a blank or a sign between two words.
 */
export function* segmentInParts(
  segmenter: Intl.Segmenter,
  text: string,
  length: number,
): Generator<Pick<Intl.SegmentData, 'segment' | 'isWordLike'>> {
  let start = 0
  let partLength = length
  while (start < text.length) {
    const end = start + partLength
    const segments = [...segmenter.segment(text.slice(start, end))]
    if (end < text.length) {
      // The last one may go on.
      segments.pop()
      const last = segments.findLastIndex(({ isWordLike }) => !isWordLike)
      segments.splice(Math.max(last, 0))
      if (segments.length === 0) {
        partLength *= 2
        continue
      }
    }
    yield* segments
    start += segments.reduce((sum, { segment }) => sum + segment.length, 0)
    partLength = length
  }
}

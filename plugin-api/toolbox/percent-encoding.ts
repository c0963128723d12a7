/** Decodes a part of an address; one with a percent sign that encodes nothing means itself. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

import { charset, lookup } from 'mime-types'

/** The media type by the file's name, as far as it is one of text: `.ts` is no video here. */
export function mediaTypeOf(path: string): string {
  const type = lookup(path)
  return type && (charset(type) || type === 'image/svg+xml') ? type : 'text/plain'
}

import { extname } from 'node:path'
import { lookup } from 'mime-types'

/** Extensions of source code that the registry of media types gives to something else. */
const SOURCE_CODE = new Set(['.ts', '.mts', '.cts', '.tsx', '.rs'])

/** Returns the media type by the file's name, or `unknown` where the name says nothing. */
export function mediaTypeOf(path: string, unknown = 'application/octet-stream'): string {
  const extension = extname(path).toLowerCase()
  if (SOURCE_CODE.has(extension)) return 'text/plain'
  return (extension && lookup(extension)) || unknown
}

/** True for what a browser shows without running any of it: pictures, sound, PDF and plain text. */
export function isShowable(media_type: string): boolean {
  return (
    media_type !== 'image/svg+xml' && /^(image|audio)\/|^(application\/pdf|text\/plain)$/.test(media_type)
  )
}

import type { IncomingHttpHeaders } from 'node:http'
import { objectOf } from '../schema.ts'
import { createFormCheck, filledText, text } from './form.ts'

/** Files that browsers load, outside of `/api`. A file `x.br` beside a file `x` is the same, compressed by Brotli. */
export interface Pages<Cradle = never> {
  /** The address that the files are below; begins and ends with a slash. The longest one that fits comes first. */
  readonly path: string
  /** With this word the start of the server prints the address. */
  readonly label?: string
  /** The file that the path itself is answered with. */
  readonly index?: string
  /** True if requests for HTML that name no file are answered with the index, for a page that has many addresses. */
  readonly isApp?: true
  /** The files whose names begin with this never change under the same name. */
  readonly immutable?: string
  /** The error that is answered if the index does not exist. */
  readonly missing?: string
  /**
   * Returns the file with a name below the path, if there may be one. The parts of a name begin with a letter, a digit,
   * `_` or `-`, so it cannot lead out of a folder.
   */
  locate(name: string, cradle: Cradle): string | undefined
  /** Returns headers of all replies, such as a content security policy. */
  headers?(request: { readonly headers: IncomingHttpHeaders }, cradle: Cradle): Record<string, string>
}

const checkPages = createFormCheck<Pages>(
  objectOf(
    {
      path: { type: 'string', pattern: '^/([\\w-]+/)*$' },
      label: filledText,
      index: filledText,
      isApp: { const: true },
      immutable: filledText,
      missing: text,
      locate: true,
      headers: true,
    },
    ['path', 'locate'],
  ),
  ['locate', 'headers'],
)

/** Checks the form of the pages that a plugin declares; only built-in ones may be among the addresses of the API. */
export function assertPages(candidate: unknown, subject: string, isBuiltIn: boolean): Pages {
  const pages = checkPages(candidate, subject)
  if (!isBuiltIn && pages.path.startsWith('/api/'))
    throw new Error(`${subject} is not valid: /path must not begin with "/api/"`)
  return pages
}

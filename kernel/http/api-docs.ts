import { join } from 'node:path'
import type { Pages } from '../contract/pages.ts'
import { PACKAGE_ROOT } from '../loading/package.ts'

/** The page as browsers run it: it is neither compiled nor bundled. */
const FOLDER = join(PACKAGE_ROOT, 'kernel/http/docs')

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Files of people have the same origin, so code is loaded from the folder of the page only. */
const OWN_CODE = 'script-src *:*/api/docs/; style-src *:*/api/docs/'

/** The page at /api/docs, which shows and tries what the documents of the API describe. */
export const apiDocs: Pages = {
  path: '/api/docs/',
  index: 'index.html',
  locate: (name) => join(FOLDER, name),
  headers: () => ({ 'Content-Security-Policy': `${POLICY}, ${OWN_CODE}`, 'Referrer-Policy': 'no-referrer' }),
}

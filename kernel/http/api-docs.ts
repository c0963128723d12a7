import { createReadStream, readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Context, Next } from 'koa'
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

/** Serves the page at /api/docs, which shows and tries what the documents of the API describe. */
export function serveApiDocs(): (context: Context, next: Next) => Promise<unknown> {
  const files = new Map(readdirSync(FOLDER).map((name) => [`/api/docs/${name}`, name]))
  files.set('/api/docs', 'index.html')
  return async (context, next) => {
    const name = files.get(context.path.replace(/(?<=.)\/$/, ''))
    if (!name || (context.method !== 'GET' && context.method !== 'HEAD')) return next()
    context.set('Content-Security-Policy', POLICY)
    context.set('Referrer-Policy', 'no-referrer')
    context.set('Cache-Control', 'no-cache')
    context.type = extname(name)
    context.body = createReadStream(join(FOLDER, name))
  }
}

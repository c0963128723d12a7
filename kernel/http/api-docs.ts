import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Context, Next } from 'koa'

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Agent Platform Service API</title>
    <link rel="stylesheet" href="/api/docs/swagger-ui.css">
    <link rel="icon" href="/api/docs/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/api/docs/swagger-ui-bundle.js"></script>
    <script src="/api/docs/start.js"></script>
  </body>
</html>
`
const START = `SwaggerUIBundle({ url: '/api/openapi.json', dom_id: '#swagger-ui', persistAuthorization: true, validatorUrl: null })\n`
const POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Serves the interactive page at /api/docs; all of its files come from the installed package. */
export function serveApiDocs(): (context: Context, next: Next) => Promise<unknown> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const file = (name: string, type: string) => [type, () => createReadStream(join(folder, name))] as const
  const files = new Map<string, readonly [type: string, content: () => unknown]>([
    ['/api/docs', ['html', () => PAGE]],
    ['/api/docs/start.js', ['js', () => START]],
    ['/api/docs/swagger-ui.css', file('swagger-ui.css', 'css')],
    ['/api/docs/swagger-ui-bundle.js', file('swagger-ui-bundle.js', 'js')],
    ['/api/docs/favicon-32x32.png', file('favicon-32x32.png', 'png')],
  ])
  return async (context, next) => {
    const found = files.get(context.path.replace(/(?<=.)\/$/, ''))
    if (!found || (context.method !== 'GET' && context.method !== 'HEAD')) return next()
    const [type, content] = found
    context.set('Content-Security-Policy', POLICY)
    context.set('Referrer-Policy', 'no-referrer')
    context.set('Cache-Control', 'no-cache')
    context.type = type
    context.body = content()
  }
}

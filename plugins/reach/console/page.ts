import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Pages } from '#plugin-api'
import type { Cradle } from './manifest.ts'

/** The folders with the code of the console and of modules of plugins. */
const CODE_FOLDERS = ['/assets/', '/console-slots/'].map((folder) => `*:*${folder}`).join(' ')

/**
 * The second policy, which a browser enforces as well: `'self'` includes the addresses of people's files, and sources
 * with a path need a host, which a proxy may have changed.
 */
const OWN_CODE = [
  `script-src ${CODE_FOLDERS}`,
  `style-src ${CODE_FOLDERS} 'unsafe-inline'`,
  `worker-src ${CODE_FOLDERS} *:*/sw.js`,
].join('; ')

const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i

/** Returns the headers that restrict what a page may load and do, and who may embed it. */
export const protect: NonNullable<Pages<Cradle>['headers']> = ({ headers: { host = '' } }) => {
  // Older browsers do not count the sockets of the page's own origin as `'self'`.
  const sockets = HOST.test(host) ? ` ws://${host} wss://${host}` : ''
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // The components of the page write style elements.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    // Only scripts of the page make such addresses: it shows PDF files in them.
    'frame-src blob:',
    "worker-src 'self'",
    "manifest-src 'self'",
    `connect-src 'self'${sockets}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ]
  return {
    'Content-Security-Policy': `${policy.join('; ')}, ${OWN_CODE}`,
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex, nofollow',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    // Modules of plugins may ask the person for the microphone; pages of others that embed this one may not.
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(self), payment=(), usb=()',
  }
}

const INDEX = 'index.html'

/** The page as Vite has built it. */
const folderOf = ({ config }: Pick<Cradle, 'config'>): string =>
  config.folder ?? join(import.meta.dirname, 'web')

/** True if the page was built. */
export const isBuilt = (cradle: Pick<Cradle, 'config'>): boolean => existsSync(join(folderOf(cradle), INDEX))

/** The page of the console, which answers every address that a browser opens. */
export const consolePage: Pages<Cradle> = {
  path: '/',
  label: 'console',
  index: INDEX,
  isApp: true,
  immutable: 'assets/',
  missing: 'CONSOLE_NOT_BUILT',
  locate: (name, cradle) => join(folderOf(cradle), name),
  headers: protect,
}

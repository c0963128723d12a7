import { fileURLToPath } from 'node:url'
import type { Blueprint, Pages } from '#plugin-api'

/** Our part of the page, as browsers run it: it is neither compiled nor bundled. */
const OWN_FILES = new URL('../../../../plugins/operation/api-docs/page/', import.meta.url)
/** The files of Swagger UI, which the build copies. */
const COMPONENT_FILES = new URL('component/', import.meta.url)

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Swagger UI has its icons in its styles.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Files of people have the same origin, so code is loaded from the folder of the page only. */
const OWN_CODE = 'script-src *:*/api/docs/; style-src *:*/api/docs/'

/** The services that tell whether the page is served. */
interface Switches {
  config: { readonly enabled: boolean }
  blueprint(): Blueprint
}

/** True if the page is served: both the plugin and `enable_api_docs` are on. */
export const isServed = ({ config, blueprint }: Switches): boolean =>
  config.enabled && blueprint().config.values.enable_api_docs

/** The page at /api/docs, which shows and tries what the documents of the API describe. */
export const apiPage: Pages<Switches> = {
  path: '/api/docs/',
  index: 'index.html',
  locate(name, cradle) {
    if (!isServed(cradle)) return undefined
    return fileURLToPath(new URL(name, name.startsWith('swagger-ui') ? COMPONENT_FILES : OWN_FILES))
  },
  headers: () => ({ 'Content-Security-Policy': `${POLICY}, ${OWN_CODE}`, 'Referrer-Policy': 'no-referrer' }),
}

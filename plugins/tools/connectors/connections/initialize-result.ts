import { isObject, type Json } from '#toolbox'
import { toLooseText, withoutNulls } from './loose-values.ts'

/** The versions that a server can have agreed to, the latest first. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']
/** The version that the protocol says to assume if a server names none. */
const ASSUMED_VERSION = '2025-03-26'

/**
 * Reads the result of `initialize`. A server that names no version, or one that does not exist, is taken for one of the
 * latest version that is not later than its own: the requests that are made of it are the same in all versions.
 */
export function readInitializeResult(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result
  const { protocolVersion, capabilities, serverInfo, instructions } = result as Json
  return {
    protocolVersion: readVersion(protocolVersion),
    capabilities: readCapabilities(capabilities),
    serverInfo: readServer(serverInfo),
    ...(typeof instructions === 'string' && { instructions }),
  }
}

const readVersion = (version: unknown): string =>
  typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version)
    ? (VERSIONS.find((agreed) => agreed <= version) ?? VERSIONS.at(-1)!)
    : ASSUMED_VERSION

/** Without capabilities, a server is asked for its tools. PHP writes an empty object as a list. */
function readCapabilities(capabilities: unknown): Json {
  if (typeof capabilities !== 'object' || capabilities === null) return { tools: {} }
  const entries = Object.entries(capabilities).flatMap(([name, value]): [string, unknown][] => {
    if (value === true || (Array.isArray(value) && value.length === 0)) return [[name, {}]]
    return isObject(value) ? [[name, withoutNulls(value)]] : []
  })
  return Object.fromEntries(entries)
}

function readServer(server: unknown): Json {
  const { name, version, title } = Object(server) as Json
  return {
    name: toLooseText(name ?? 'unknown'),
    version: toLooseText(version ?? 'unknown'),
    ...(typeof title === 'string' && { title }),
  }
}

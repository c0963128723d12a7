import { createWriteStream } from 'node:fs'
import { Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError, findNetworkFailure, type GuardedFetch, withDeadline } from '#plugin-api'
import { MAX_FILE_BYTES } from './intake.ts'
import type { Cradle } from './manifest.ts'
import type { Validators } from './types.ts'

const MAX_REDIRECTS = 5
const MAX_ROBOTS_BYTES = 512 * 1024
/** The longest validator that is stored, in characters. */
const MAX_VALIDATOR = 1000
/** The time for one document, from the first connection to the last byte, in milliseconds. */
const TIME_MS = 120_000
/** The name of this server in robots.txt. */
const AGENT = 'AgentPlatformService'

/** A file that was fetched. */
interface Fetched {
  media_type: string
  size: number
  validators: Validators
}

/** An address, the file for its content, and the validators of a content that is stored already. */
interface Target {
  address: string
  file: string
  validators?: Validators | null | undefined
}

/** Fetches web addresses, within the rules of addresses and of robots.txt. */
export type Addresses = ReturnType<typeof createAddresses>

/** Creates the client. */
export function createAddresses({
  connection,
  server,
}: { connection: GuardedFetch } & Pick<Cradle, 'server'>) {
  const headers = { 'user-agent': `${AGENT}/${server.version}` }

  const assertAllowedByRobots = async (url: URL, signal: AbortSignal) => {
    const response = await connection.fetch(new URL('/robots.txt', url).href, { headers, signal })
    const type = response.headers.get('content-type') ?? ''
    // A site without rules allows everything, also one that answers with a page; of one that fails, nothing is known.
    if (!response.ok || type.includes('html')) {
      await response.body?.cancel()
      if (response.status >= 500)
        throw unreachable(`its robots.txt was answered ${response.status}`, { temporary: true })
      return
    }
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_ROBOTS_BYTES) break
    }
    if (!isAllowed(Buffer.concat(chunks).toString(), AGENT, url))
      throw new AppError('DOCUMENT_REFUSED_BY_ROBOTS')
  }

  const fetchTo = async (
    { address, file, validators }: Target,
    signal: AbortSignal,
  ): Promise<Fetched | undefined> => {
    let url = new URL(address)
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      await assertAllowedByRobots(url, signal)
      // An address that it redirects to now may use the same tag for another content.
      const conditions = validators?.url === url.href ? toConditions(validators) : {}
      const response = await connection.fetch(url.href, {
        headers: { ...headers, ...conditions },
        redirect: 'manual',
        signal,
      })
      if (response.status === 304 && Object.keys(conditions).length > 0) return undefined
      const location = response.headers.get('location')
      if (response.status >= 300 && response.status < 400 && location && URL.canParse(location, url.href)) {
        await response.body?.cancel()
        url = new URL(location, url)
        if (!/^https?:$/.test(url.protocol)) throw unreachable('it redirects to something else than a page')
        continue
      }
      if (!response.ok) {
        await response.body?.cancel()
        throw unreachable(`the server answered ${response.status}`, {
          temporary: isTemporary(response.status),
        })
      }
      return {
        media_type: response.headers.get('content-type') ?? '',
        size: await store(response, file),
        validators: readValidators(url, response.headers),
      }
    }
    throw unreachable('it redirects too often')
  }

  return {
    /** Throws ADDRESS_NOT_ALLOWED if an address is in a private network. */
    assertAllowed: connection.assertAllowed,

    /**
     * Fetches an address into a file; undefined if the site says that it is as the validators describe it. Throws ADDRESS_NOT_ALLOWED, DOCUMENT_REFUSED_BY_ROBOTS, DOCUMENT_UNREACHABLE or
     * DOCUMENT_TOO_LARGE.
     */
    async fetch(target: Target, signal: AbortSignal): Promise<Fetched | undefined> {
      try {
        return await withDeadline(TIME_MS, [signal], (until) => fetchTo(target, until))
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof AppError) throw error
        const { reason = 'unreachable', code } = findNetworkFailure(error) ?? {}
        throw unreachable(code ? `${reason}, ${code}` : reason, { temporary: true, cause: error })
      }
    },
  }
}

/** Reads the validators of an answer. */
function readValidators({ href }: URL, headers: Headers): Validators {
  const read = (name: string) => {
    const value = headers.get(name)
    return value && value.length <= MAX_VALIDATOR ? value : undefined
  }
  const etag = read('etag')
  const last_modified = read('last-modified')
  return { url: href, ...(etag && { etag }), ...(last_modified && { last_modified }) }
}

const toConditions = ({ etag, last_modified }: Validators): Record<string, string> => ({
  ...(etag && { 'if-none-match': etag }),
  ...(last_modified && { 'if-modified-since': last_modified }),
})

/** Creates the error; `temporary` if a later attempt may succeed. */
const unreachable = (
  reason: string,
  { temporary = false, cause }: { temporary?: boolean; cause?: unknown } = {},
) => new AppError('DOCUMENT_UNREACHABLE', { reason, temporary }, { cause })

const isTemporary = (status: number) => status >= 500 || status === 408 || status === 429

/** Stores a body; returns its size in bytes. */
async function store({ body }: Response, file: string): Promise<number> {
  let size = 0
  const bounded = new Transform({
    transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback) {
      size += chunk.length
      done(size > MAX_FILE_BYTES ? new AppError('DOCUMENT_TOO_LARGE') : null, chunk)
    },
  })
  await pipeline(
    body ? Readable.fromWeb(body as never) : Readable.from([]),
    bounded,
    createWriteStream(file, { mode: 0o600 }),
  )
  return size
}

/** A rule of robots.txt. */
interface Rule {
  allow: boolean
  path: string
}

/** Decides if a robots.txt allows a program to read an address (RFC 9309). */
function isAllowed(robots: string, agent: string, { pathname, search }: URL): boolean {
  const groups = parseGroups(robots)
  const own = groups.filter(({ agents }) => agents.includes(agent.toLowerCase()))
  const chosen = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'))
  const path = pathname + search
  // The longest rule wins, and of two that are equally long the one that allows.
  const [best] = chosen
    .flatMap(({ rules }) => rules)
    .filter((rule) => matches(rule.path, path))
    .sort((a, b) => b.path.length - a.path.length || Number(b.allow) - Number(a.allow))
  return best?.allow ?? true
}

function parseGroups(robots: string): { agents: string[]; rules: Rule[] }[] {
  const groups: { agents: string[]; rules: Rule[] }[] = []
  let isOpen = false
  for (const line of robots.split(/\r\n?|\n/)) {
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*:\s*([^#]*)/.exec(line) ?? []
    const content = value.trim()
    switch (name.toLowerCase()) {
      case 'user-agent':
        // Several names in a row share the rules that follow.
        if (!isOpen) groups.push({ agents: [], rules: [] })
        isOpen = true
        groups.at(-1)!.agents.push(content.toLowerCase())
        break
      case 'allow':
      case 'disallow':
        isOpen = false
        if (content) groups.at(-1)?.rules.push({ allow: name.toLowerCase() === 'allow', path: content })
    }
  }
  return groups
}

/** Compares without a regular expression, whose time a hostile pattern could stretch. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const [first = '', ...otherParts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  let position = first.length
  for (const [index, part] of otherParts.entries()) {
    if (isWhole && index === otherParts.length - 1)
      return path.length - part.length >= position && path.endsWith(part)
    const start = path.indexOf(part, position)
    if (start < 0) return false
    position = start + part.length
  }
  return !isWhole || position === path.length
}

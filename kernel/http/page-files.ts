import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Context, Middleware } from 'koa'
import type { SomeCradle } from '../contract/cradle.ts'
import type { Pages } from '../contract/pages.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { listsTag } from './request-facts.ts'

/** Pages, and the services that their functions get. */
export interface OwnedPages {
  pages: Pages
  cradle: SomeCradle
}

const NAME = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/
const COMPRESSIBLE = /\.(css|html|js|json|map|mjs|svg|txt|webmanifest)$/
const YEAR_SECONDS = 31_536_000

/** Serves the pages of all plugins; requests that fit none go on to the routes. */
export function servePages(owned: readonly OwnedPages[]): Middleware {
  const tagOf = createTags()
  const byLength = [...owned].sort((a, b) => b.pages.path.length - a.pages.path.length)

  const send = async (context: Context, { pages, cradle }: OwnedPages): Promise<boolean> => {
    const { index, isApp, immutable, missing } = pages
    const name = context.path.slice(pages.path.length)
    const isAsset = immutable !== undefined && name.startsWith(immutable)
    const isOfIndex = index !== undefined && (name === '' || (isApp && !isAsset && wantsHtml(context)))
    const file =
      (NAME.test(name) && !name.endsWith('.br') && (await find(pages.locate(name, cradle as never)))) ||
      (isOfIndex && (await find(pages.locate(index, cradle as never))))
    if (!file) {
      if (isOfIndex && missing) throw new AppError(missing as ErrorCode)
      return false
    }
    context.set(pages.headers?.(context, cradle as never) ?? {})
    context.set('Cache-Control', isAsset ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache')
    if (!isAsset) {
      const tag = await tagOf(file)
      context.set('ETag', `W/"${tag}"`)
      if (listsTag(context.get('If-None-Match'), tag, { weak: true })) {
        context.status = 304
        return true
      }
    }
    await fill(context, file)
    return true
  }

  return async (context, next) => {
    if (context.method === 'GET' || context.method === 'HEAD')
      for (const candidate of byLength)
        if (isBelow(context.path, candidate.pages.path) && (await send(context, candidate))) return
    return next()
  }
}

const isBelow = (path: string, base: string): boolean =>
  `${path}/` === base || (path.startsWith(base) && (base.startsWith('/api/') || !/^\/api(\/|$)/.test(path)))

/** True for the request of a browser that opens an address. */
const wantsHtml = (context: Context): boolean => /\btext\/html\b/.test(context.get('Accept'))

/** A file and what its tag depends on. */
interface FoundFile {
  path: string
  size: number
  mtimeMs: number
}

async function find(path: string | undefined): Promise<FoundFile | undefined> {
  const stats = path === undefined ? undefined : await stat(path).catch(() => undefined)
  return stats?.isFile() ? { path: path!, size: stats.size, mtimeMs: stats.mtimeMs } : undefined
}

/** Returns the hash of a file's content; packages have the same times in every version, so these do not suffice. */
function createTags() {
  const tags = new Map<string, { version: string; tag: string }>()
  return async ({ path, size, mtimeMs }: FoundFile): Promise<string> => {
    const version = `${size} ${mtimeMs}`
    const remembered = tags.get(path)
    if (remembered?.version === version) return remembered.tag
    const tag = createHash('sha256')
      .update(await readFile(path))
      .digest('base64url')
    tags.set(path, { version, tag })
    return tag
  }
}

/** Sets the body: compressed beforehand or now, if the client takes that and it is worth it. */
async function fill(context: Context, file: FoundFile): Promise<void> {
  const { path } = file
  context.type = extname(path)
  const isCompressible = COMPRESSIBLE.test(path)
  if (isCompressible) context.set('Vary', 'Accept-Encoding')
  const brotli = context.acceptsEncodings('br', 'identity') === 'br' ? await find(`${path}.br`) : undefined
  if (!brotli && isCompressible && context.acceptsEncodings('gzip', 'identity') === 'gzip') {
    context.set('Content-Encoding', 'gzip')
    // The reply reports the failure, as the pipeline destroys it.
    context.body = pipeline(createReadStream(path), createGzip(), () => undefined)
    return
  }
  if (brotli) context.set('Content-Encoding', 'br')
  const sent = brotli ?? file
  context.body = createReadStream(sent.path)
  context.length = sent.size
}

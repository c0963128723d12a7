import {
  ChannelFailure,
  createDeadline,
  type InboundContent,
  type OutboundFile,
  PlatformRefusal,
  readBody,
  readMediaType,
  readPieces,
} from '#plugin-api'
import { type MatrixApi, toPath } from './api.ts'
import { type Refusal, toNetworkFailure, toRefusal } from './failure.ts'

/** Time limit for the answer to a download and for each of its pieces, in milliseconds. */
const PIECE_MS = 30_000
const UPLOAD_MS = 120_000
const MAX_REFUSAL_BYTES = 64 * 1024
const MAX_REDIRECTS = 3

/** Paths of downloads: with the token, and without it, of homeservers before version 1.11 of the specification. */
const DOWNLOADS = ['/client/v1/media/download', '/media/v3/download'] as const

/** The address of a file. */
export type FileReference = { mxc: string }

/** Downloads a file of a message. Throws `not_found` if the homeserver does not have it. */
export async function downloadFile(
  api: MatrixApi,
  { mxc }: FileReference,
  signal: AbortSignal,
): Promise<InboundContent> {
  const [, server, id] = /^mxc:\/\/([^/?#\s]+)\/([^/?#\s]+)$/.exec(mxc) ?? []
  if (!server || !id) throw new ChannelFailure('not_found', 'The message names a file without an address.')
  const deadline = createDeadline([signal], { milliseconds: PIECE_MS })
  try {
    const response = await api.withToken(signal, (token) =>
      request(api, toPath(server, id), token, deadline.signal),
    )
    const media_type = readMediaType(response.headers)
    const bytes = readPieces(response.body, (error) => toNetworkFailure(error, deadline.signal), deadline)
    return { bytes, ...(media_type && { media_type }) }
  } catch (error) {
    deadline.release()
    throw toNetworkFailure(error, signal.aborted ? signal : deadline.signal)
  }
}

async function request(api: MatrixApi, file: string, token: string, signal: AbortSignal): Promise<Response> {
  for (const [index, path] of DOWNLOADS.entries()) {
    const response = await follow(api, `${api.base}/_matrix${path}${file}`, token, signal)
    if (response.ok && response.body) return response
    const refusal = await readRefusal(response)
    const isUnknown = refusal.code === 'M_UNRECOGNIZED' || refusal.status === 405
    if (index < DOWNLOADS.length - 1 && isUnknown) continue
    throw refusal.status === 404
      ? new ChannelFailure('not_found', 'The homeserver does not have the file.')
      : refusal
  }
  throw new ChannelFailure('not_found', 'The homeserver does not have the file.')
}

/** Follows redirects by itself: the token is sent to the homeserver alone. */
async function follow(api: MatrixApi, url: string, token: string, signal: AbortSignal): Promise<Response> {
  let address = new URL(url)
  const { origin } = address
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const headers = address.origin === origin ? { authorization: `Bearer ${token}` } : undefined
    const response = await api.fetch(address.href, {
      ...(headers && { headers }),
      redirect: 'manual',
      signal,
    })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || !location) return response
    await response.body?.cancel()
    address = new URL(location, address)
  }
  throw new ChannelFailure('unknown', 'The homeserver redirects the request for a file too often.')
}

async function readRefusal(response: Response): Promise<PlatformRefusal<string>> {
  const bytes = await readBody(response.body, MAX_REFUSAL_BYTES)
  let body: Refusal | undefined
  try {
    body = JSON.parse(String(bytes)) ?? undefined
  } catch {
    // The status says enough.
  }
  return toRefusal(response, body)
}

/** Uploads a file and returns its address. */
export async function uploadFile(
  api: MatrixApi,
  { bytes, filename, media_type }: OutboundFile,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { content_uri } = await api.call<{ content_uri: string }>(
      {
        method: 'POST',
        path: '/media/v3/upload',
        query: { filename: filename.toWellFormed() },
        upload: { bytes, media_type },
        timeout_ms: UPLOAD_MS,
      },
      signal,
    )
    return content_uri
  } catch (error) {
    if (error instanceof PlatformRefusal && (error.code === 'M_TOO_LARGE' || error.status === 413))
      throw new ChannelFailure('unsupported', 'The file is larger than the homeserver accepts.')
    throw error
  }
}

import { ChannelFailure, type ChannelSettings, type InboundContent, type OutboundFile } from '#plugin-api'
import type { Deadline } from '#toolbox'
import type { SlackApi } from './api.ts'
import type { SlackConfig } from './config.ts'
import { explainMissingScope, startDeadline, toNetworkFailure } from './failure.ts'
import { toleratingLostThread } from './lost-thread.ts'
import type { FileReference, SlackFile } from './message-event.ts'
import type { Target } from './messages.ts'

/** Time limit for transferring a file. */
const TRANSFER_MS = 120_000

const MAX_REDIRECTS = 3

type Reach = Pick<ChannelSettings<SlackConfig>, 'config' | 'endpoints' | 'fetch'>

/** Downloads a file of a message. Throws `forbidden` if the app may not read files. */
export async function downloadFile(
  api: SlackApi,
  reach: Reach,
  { id, url }: FileReference,
  signal: AbortSignal,
): Promise<InboundContent> {
  const address = url ?? (await findAddress(api, id, signal))
  const deadline = startDeadline(signal, TRANSFER_MS)
  try {
    const response = await follow(reach, address, deadline.signal)
    const type = response.headers.get('content-type')?.split(';')[0]?.trim()
    const refusal = findRefusal(response, type)
    if (!refusal && response.body)
      return { bytes: read(response.body, signal, deadline), ...(type && { media_type: type }) }
    await response.body?.cancel()
    throw refusal ?? toStatusFailure(response.status)
  } catch (error) {
    deadline.release()
    signal.throwIfAborted()
    throw toNetworkFailure(error as Error)
  }
}

function findRefusal(
  { status, ok, headers }: Response,
  type: string | undefined,
): ChannelFailure | undefined {
  // Without the scope Slack returns its sign-in page; a file that is a page comes as an attachment.
  const isPage = type === 'text/html' && !headers.has('content-disposition')
  if (isPage || status === 401 || status === 403)
    return new ChannelFailure('forbidden', explainMissingScope('bot_token', 'files:read'))
  if (status === 404) return new ChannelFailure('not_found', 'Slack no longer has the file.')
  if (!ok) return toStatusFailure(status)
}

async function* read(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  deadline: Deadline,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* body
  } catch (error) {
    signal.throwIfAborted()
    throw toNetworkFailure(error as Error)
  } finally {
    deadline.release()
  }
}

/** Fetches the address of a file; files of other workspaces come without one. */
async function findAddress(api: SlackApi, id: string, signal: AbortSignal): Promise<string> {
  const { file } = await api.call<{ file?: SlackFile }>('files.info', { file: id }, signal)
  const url = file?.url_private_download ?? file?.url_private
  if (!url) throw new ChannelFailure('not_found', 'Slack did not return the address of the file.')
  return url
}

/** Follows redirects by itself, because the token must not be sent to other hosts. */
async function follow({ config, endpoints, fetch }: Reach, url: string, signal: AbortSignal) {
  let address = new URL(url)
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    assertSlackHost(address, endpoints.api!)
    const headers = { authorization: `Bearer ${config.bot_token}` }
    const response = await fetch(address.href, { headers, redirect: 'manual', signal })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || !location) return response
    await response.body?.cancel()
    address = new URL(location, address)
  }
  throw new ChannelFailure('unknown', 'Slack redirects the request for a file too often.')
}

function assertSlackHost({ protocol, host, hostname }: URL, api: string): void {
  if (host === new URL(api).host && protocol === new URL(api).protocol) return
  if (protocol === 'https:' && (hostname === 'slack.com' || hostname.endsWith('.slack.com'))) return
  throw new ChannelFailure('forbidden', 'The file is not on a server of Slack.')
}

/** Sends a file into a conversation. */
export async function uploadFile(
  api: SlackApi,
  { fetch }: Reach,
  { channel, thread_ts }: Target,
  { filename, media_type, bytes }: OutboundFile,
  signal: AbortSignal,
): Promise<void> {
  const fields = { filename, length: bytes.length }
  const slot = await api.call<{ upload_url: string; file_id: string }>(
    'files.getUploadURLExternal',
    fields,
    signal,
  )
  const deadline = startDeadline(signal, TRANSFER_MS)
  try {
    // The address itself authorizes the upload, so the token is not sent.
    const response = await fetch(slot.upload_url, createUpload(bytes, media_type, deadline.signal))
    await response.body?.cancel()
    if (!response.ok) throw toStatusFailure(response.status)
  } catch (error) {
    signal.throwIfAborted()
    throw toNetworkFailure(error as Error)
  } finally {
    deadline.release()
  }
  const files = [{ id: slot.file_id, title: filename }]
  await toleratingLostThread(thread_ts, (thread) =>
    api.call('files.completeUploadExternal', { files, channel_id: channel, ...thread }, signal),
  )
}

const createUpload = (bytes: Uint8Array, media_type: string, signal: AbortSignal) =>
  ({
    method: 'POST',
    headers: { 'content-type': media_type },
    body: bytes as Uint8Array<ArrayBuffer>,
    redirect: 'error',
    signal,
  }) as const

const toStatusFailure = (status: number) =>
  new ChannelFailure(
    status === 429 ? 'rate_limited' : status >= 500 ? 'unreachable' : 'unknown',
    `Slack answered with the HTTP status ${status}.`,
  )

import {
  ChannelFailure,
  type ChannelSettings,
  type InboundContent,
  readMediaType,
  readPieces,
} from '#plugin-api'
import type { SlackApi } from './api.ts'
import type { SlackConfig } from './config.ts'
import {
  explainMissingScope,
  startDeadline,
  TRANSFER_MS,
  toNetworkFailure,
  toStatusFailure,
} from './failure.ts'
import { addressOf, describeUnreadable, type FileReference, type SlackFile } from './inbound-files.ts'

const MAX_REDIRECTS = 3

type Reach = Pick<ChannelSettings<SlackConfig>, 'config' | 'endpoints' | 'fetch'>

/** Downloads a file of a message. Throws `forbidden` if the app may not read files. */
export async function downloadFile(
  api: SlackApi,
  reach: Reach,
  { id, url }: FileReference,
  signal: AbortSignal,
): Promise<InboundContent> {
  const { address, filename } = url ? { address: url } : await findAddress(api, id, signal)
  const deadline = startDeadline(signal, TRANSFER_MS)
  try {
    const response = await follow(reach, address, deadline.signal)
    const type = readMediaType(response.headers)
    const refusal = findRefusal(response, type)
    if (!refusal && response.body)
      return {
        bytes: readPieces(response.body, (error) => toNetworkFailure(error, signal), {
          release: deadline.release,
        }),
        ...(type && { media_type: type }),
        ...(filename && { filename }),
      }
    await response.body?.cancel()
    throw refusal ?? toStatusFailure(response)
  } catch (error) {
    deadline.release()
    throw toNetworkFailure(error, signal)
  }
}

function findRefusal(response: Response, type: string | undefined): ChannelFailure | undefined {
  const { status, ok, headers } = response
  // Without the scope Slack returns its sign-in page; a file that is a page comes as an attachment.
  const isPage = ok && type === 'text/html' && !headers.has('content-disposition')
  if (isPage || status === 401 || status === 403)
    return new ChannelFailure('forbidden', explainMissingScope('bot_token', 'files:read'))
  if (status === 404 || status === 410)
    return new ChannelFailure('not_found', 'Slack no longer has the file.')
  if (!ok) return toStatusFailure(response)
}

/** Fetches the address and the name of a file; files of other workspaces come without them. */
async function findAddress(api: SlackApi, id: string, signal: AbortSignal) {
  const { file = {} } = await api.call<{ file?: SlackFile }>('files.info', { file: id }, signal)
  const description = describeUnreadable({ id, ...file })
  const address = addressOf(file)
  if (!address || description)
    throw new ChannelFailure('not_found', `Slack did not return the file ${description ?? id}.`)
  return { address, filename: file.name }
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

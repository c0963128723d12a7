import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { BOT_TOKEN, type World } from './fake-slack-world.ts'

/** The server that all of the fake lives on. */
export interface FakeSlackSite {
  server: Server
  /** Without a slash at the end. */
  address(): string
  /** Answers nothing any more. */
  mute(): void
  /** Where the next downloads lead, instead of to the files. */
  misdirect(location: string): void
  close(): Promise<void>
}

/** The calls that send or change messages. */
const SENDING = new Set(['chat.postMessage', 'chat.update', 'files.completeUploadExternal'])

/** Serves the Web API, uploads and downloads on loopback; `call` answers the methods. */
export async function startFakeSlackSite(
  { files, fileAnswers, refusals, scopes, violations }: World,
  call: (method: string, token: string, fields: Record<string, string>) => object,
): Promise<FakeSlackSite> {
  let isMute = false
  let misdirected: string | undefined
  const server = createServer((request, response) => {
    serve(request, response).catch((error) => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const { pathname } = new URL(request.url!, 'http://fake')
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const [, area, ...segments] = pathname.split('/')
    const name = segments.at(-1) ?? ''
    if (isMute) return
    if (area === 'api')
      return serveCall(name, token, Object.fromEntries(new URLSearchParams(String(body))), response)
    const answer = area === 'upload' || area === 'files-pri' ? fileAnswers.shift() : undefined
    if (answer) return void response.writeHead(answer.status, answer.headers).end(answer.body)
    if (area === 'upload')
      return takeUpload(name, token, String(request.headers['content-type']), body, response)
    if (area === 'files-pri') return giveFile(name, token, response)
    response.writeHead(404).end()
  }

  function serveCall(
    method: string,
    token: string,
    fields: Record<string, string>,
    response: ServerResponse,
  ): void {
    if ('token' in fields) violations.push('a token is sent in a body')
    if (method.startsWith('files.') && fields.filename !== undefined && !fields.filename.isWellFormed())
      violations.push('a file has half a character in its name')
    const rule = refusals.find(
      (rule) => rule.method === method || (rule.method === 'send' && SENDING.has(method)),
    )
    if (!rule) {
      response.setHeader('x-oauth-scopes', scopes.join(','))
      sendJson(response, call(method, token, fields))
      return
    }
    if (--rule.calls === 0) refusals.splice(refusals.indexOf(rule), 1)
    if (rule.isDone) call(method, token, fields)
    const { status = 200, retryAfter, body } = rule.refuse
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
    if (typeof body === 'string') response.writeHead(status, { 'content-type': 'text/html' }).end(body)
    else sendJson(response, body, status)
  }

  function takeUpload(
    id: string,
    token: string,
    mediaType: string,
    bytes: Uint8Array,
    response: ServerResponse,
  ): void {
    if (token) violations.push('the token is sent along with an upload')
    const file = files.get(id)
    if (!file) return void response.writeHead(404).end()
    file.bytes = new Uint8Array(bytes)
    file.media_type = mediaType
    response.end(`OK - ${bytes.length}`)
  }

  function giveFile(id: string, token: string, response: ServerResponse): void {
    const file = files.get(id)
    if (misdirected) return void response.writeHead(302, { location: misdirected }).end()
    if (token !== BOT_TOKEN || !scopes.includes('files:read'))
      return void response.setHeader('content-type', 'text/html; charset=utf-8').end('<title>Sign in</title>')
    if (!file) return void response.writeHead(404).end()
    const { media_type, filename } = file
    const headers = {
      'content-type': media_type,
      'content-disposition': `attachment; filename="${encodeURIComponent(filename)}"`,
    }
    response.writeHead(200, headers).end(file.bytes)
  }

  return {
    server,
    address,
    mute() {
      isMute = true
    },
    misdirect(location) {
      misdirected = location
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}

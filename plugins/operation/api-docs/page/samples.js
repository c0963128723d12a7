/** The languages of the samples. */
export const LANGUAGES = ['curl', 'TypeScript', 'Python']

/** The name of the reader's file. */
const FILE = 'notes.txt'

/** Writes a request in one of the languages. `parts` is `{path, query, header, body, media}` with the values of the request. */
export function writeSample(language, operation, parts, origin = location.origin) {
  const writers = { curl: writeCurl, TypeScript: writeTypeScript, Python: writePython }
  return writers[language](operation, parts, origin)
}

/** Fills the parameters of a path and its query. */
export function fillPath({ path }, { path: values = {}, query = {} }) {
  const filled = path.replace(/\{(\w+)\}/g, (all, name) =>
    values[name] ? encodeURIComponent(values[name]) : all,
  )
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''))
  return `/api${filled}${search.size > 0 ? `?${search}` : ''}`
}

const isStream = ({ replies }) => replies.some(({ content }) => content?.['text/event-stream'])
const isFile = ({ replies }) =>
  replies.some(({ content }) => Object.keys(content?.['*/*']?.schema ?? {}).length > 0)

function writeCurl(operation, parts, origin) {
  const { method, isPublic } = operation
  const { media, body } = parts
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`
  const address = origin + fillPath(operation, parts)
  const lines = [
    `curl${isStream(operation) ? ' -N' : ''}${isFile(operation) ? ' -O -J' : ''}${method === 'GET' ? '' : ` -X ${method}`} ${/[?&'{]/.test(address) ? quote(address) : address}`,
    !isPublic && '-H "Authorization: Bearer $SVC_API_KEY"',
    ...Object.entries(parts.header ?? {}).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    media === 'application/json' && "-H 'Content-Type: application/json'",
    media === 'application/json' && `-d ${quote(JSON.stringify(body, null, 2))}`,
    media === 'multipart/form-data' && `-F file=@${FILE}`,
    isBytes(media) && "-H 'Content-Type: application/octet-stream'",
    isBytes(media) && `--data-binary @${FILE}`,
  ]
  return lines.filter(Boolean).join(' \\\n  ')
}

const isBytes = (media) => media === 'application/octet-stream' || media === '*/*'

function writeTypeScript(operation, { path = {}, query = {}, header = {}, body, media }, origin) {
  const { method, isPublic } = operation
  const places = Object.entries({ path, query, header }).filter(
    ([, values]) => Object.keys(values).length > 0,
  )
  const takesFile = media === 'multipart/form-data' || isBytes(media)
  const options = {
    ...(places.length > 0 && { params: Object.fromEntries(places) }),
    ...(media === 'application/json' && { body }),
  }
  const extra = [
    media === 'multipart/form-data' && '  body: form as never,\n  bodySerializer: () => form,\n',
    isBytes(media) && `  body: bytes as never,\n  bodySerializer: () => bytes,\n`,
    isStream(operation) && "  parseAs: 'stream',\n",
    !isStream(operation) && isFile(operation) && "  parseAs: 'blob',\n",
  ].filter(Boolean)
  const known = Object.keys(options).length > 0 ? writeValue(options, JAVASCRIPT).slice(2, -2) : ''
  const argument = known || extra.length > 0 ? `, {\n${known ? `${known},\n` : ''}${extra.join('')}}` : ''
  return [
    takesFile && "import { openAsBlob } from 'node:fs'",
    "import { createClient } from 'agent-platform-service/client'",
    '',
    `const client = createClient({ baseUrl: '${origin}'${isPublic ? '' : ', apiKey: process.env.SVC_API_KEY'} })`,
    takesFile && `const bytes = await openAsBlob('${FILE}')`,
    media === 'multipart/form-data' && `const form = new FormData()\nform.append('file', bytes, '${FILE}')`,
    `const { ${isStream(operation) ? 'response' : 'data'}, error } = await client.${method}('${operation.path}'${argument})`,
    'if (error) throw new Error(JSON.stringify(error))',
    ...(isStream(operation)
      ? ['for await (const text of response.body!.pipeThrough(new TextDecoderStream())) console.log(text)']
      : ['console.log(data)']),
  ]
    .filter((line) => line !== false)
    .join('\n')
}

function writePython(operation, parts, origin) {
  const { method, isPublic } = operation
  const { media, body } = parts
  const query = Object.entries(parts.query ?? {}).filter(([, value]) => value !== '')
  const headers = [
    ...(isPublic ? [] : ['"Authorization": f"Bearer {os.environ[\'SVC_API_KEY\']}"']),
    ...Object.entries(parts.header ?? {}).map((pair) => pair.map((text) => JSON.stringify(text)).join(': ')),
  ]
  const takesFile = media === 'multipart/form-data' || isBytes(media)
  const lines = [
    `"${origin}${fillPath(operation, { path: parts.path })}",`,
    headers.length > 0 && `headers={${headers.join(', ')}},`,
    query.length > 0 && `params=${indent(writeValue(Object.fromEntries(query), PYTHON))},`,
    media === 'application/json' && `json=${indent(writeValue(body, PYTHON))},`,
    media === 'multipart/form-data' && 'files={"file": file},',
    isBytes(media) && 'data=file,',
    isStream(operation) && 'stream=True,',
    `timeout=${isStream(operation) ? '(10, 60)' : '60'},`,
  ].filter(Boolean)
  const shift = takesFile ? '    ' : ''
  return [
    !isPublic && 'import os',
    !isPublic && '',
    'import requests',
    '',
    takesFile && `with open("${FILE}", "rb") as file:`,
    `${shift}reply = requests.${method.toLowerCase()}(`,
    ...lines.map((line) => `${shift}    ${line.replaceAll('\n', `\n${shift}`)}`),
    `${shift})`,
    'reply.raise_for_status()',
    ...printReply(operation),
  ]
    .filter((line) => line !== false)
    .join('\n')
}

function printReply(operation) {
  if (isStream(operation)) return ['for line in reply.iter_lines(decode_unicode=True):', '    print(line)']
  if (isFile(operation)) return ['open("download", "wb").write(reply.content)']
  return operation.replies.some(({ content }) => content)
    ? ['print(reply.json())']
    : ['print(reply.status_code)']
}

const indent = (text) => text.replaceAll('\n', '\n    ')

const JAVASCRIPT = {
  true: 'true',
  false: 'false',
  null: 'null',
  string: writeJsString,
  key: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : writeJsString(name)),
}
const PYTHON = { true: 'True', false: 'False', null: 'None', string: JSON.stringify, key: JSON.stringify }

function writeJsString(text) {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner}'`
}

/** Writes a value as a literal of a language. */
function writeValue(value, language) {
  if (value === null || typeof value === 'boolean') return language[value]
  if (typeof value === 'string') return language.string(value)
  if (typeof value !== 'object') return String(value)
  const isList = Array.isArray(value)
  const parts = Object.entries(value).map(
    ([name, one]) => `${isList ? '' : `${language.key(name)}: `}${writeValue(one, language)}`,
  )
  const [open, close] = isList ? '[]' : '{}'
  if (parts.length === 0) return open + close
  const inner = parts.join(',\n').replaceAll('\n', '\n  ')
  return `${open}\n  ${inner}${language === PYTHON ? ',' : ''}\n${close}`
}

/** Writes a chat over a socket in one of the languages; curl has no frames. */
export function writeSocketSample(language, { path }, frame, origin = location.origin) {
  const address = `${origin.replace(/^http/, 'ws')}/api${path.replace('{id}', 'assistant')}`
  if (language === 'Python')
    return `import json
import os

from websockets.sync.client import connect

with connect(
    "${address}",
    additional_headers={"Authorization": f"Bearer {os.environ['SVC_API_KEY']}"},
) as socket:
    socket.send(json.dumps(${indent(writeValue(frame, PYTHON))}))
    for message in socket:
        frame = json.loads(message)
        print(frame)
        if frame["type"] in ("done", "error"):
            break`
  if (language === 'TypeScript' && path.endsWith('/chat/ws'))
    return `import { createClient } from 'agent-platform-service/client'

const client = createClient({ baseUrl: '${origin}', apiKey: process.env.SVC_API_KEY })
const chat = client.chat('assistant')
for await (const frame of chat.turn(${writeJsString(frame.text ?? 'Hello')})) {
  if (frame.type === 'content') process.stdout.write(frame.content)
}
chat.close()`
  return `const socket = new WebSocket('${address}', ['svc', \`bearer.\${token}\`])
socket.onopen = () => socket.send(JSON.stringify(${writeValue(frame, JAVASCRIPT)}))
socket.onmessage = ({ data }) => console.log(JSON.parse(data))`
}

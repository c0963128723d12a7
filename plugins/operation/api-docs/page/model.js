/** Reads the two documents of the API and puts them in the order of the page. */
export async function loadModel() {
  const read = async (name) => {
    const response = await fetch(`/api/${name}`)
    if (!response.ok) throw new Error(`${name}: ${response.status}`)
    return response.json()
  }
  const [openapi, asyncapi] = await Promise.all([read('openapi.json'), read('asyncapi.json')])
  const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(path, method, operation, openapi)),
  )
  const sockets = Object.entries(asyncapi.channels)
    .filter(([, { bindings }]) => bindings?.ws)
    .map(([id, channel]) => toSocket(id, channel, asyncapi))
  const tags = new Map()
  for (const { name, description } of [...openapi.tags, ...(asyncapi.info.tags ?? [])])
    if (!tags.has(name)) tags.set(name, { name, id: `tag-${toId(name)}`, description, entries: [] })
  for (const entry of [...sockets, ...operations]) tags.get(entry.tag)?.entries.push(entry)
  const groups = [...tags.values()].filter(({ entries }) => entries.length > 0)
  return {
    info: openapi.info,
    // Frames have the same names in both documents.
    schemas: { ...asyncapi.components.schemas, ...openapi.components.schemas },
    groups,
    entries: groups.flatMap(({ entries }) => entries),
    errors: listErrors(operations),
  }
}

const toId = (name) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')

function toOperation(path, method, operation, document) {
  const {
    operationId: id,
    summary,
    description = '',
    tags,
    parameters = [],
    requestBody,
    responses,
  } = operation
  const resolved = Object.entries(responses).map(([status, response]) => ({
    status,
    ...follow(response, document),
  }))
  const [success, refusals] = [resolved.filter(isSuccess), resolved.filter((one) => !isSuccess(one))]
  return {
    kind: 'operation',
    id,
    method: method.toUpperCase(),
    path,
    summary,
    // A description that only repeats the summary is left out.
    description: description.replace(new RegExp(`^${escapePattern(summary)}\\.?(\n|$)`), '').trim(),
    tag: tags[0],
    isPublic: operation.security?.length === 0,
    isDeprecated: operation.deprecated === true,
    parameters: parameters.map((one) => follow(one, document)),
    contents: Object.entries(requestBody?.content ?? {}),
    isBodyRequired: requestBody?.required === true,
    replies: success,
    errors: refusals.flatMap(({ status, description }) =>
      readCodes(description).map((one) => ({ status, ...one })),
    ),
  }
}

const escapePattern = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const isSuccess = ({ status }) => /^[23]/.test(status)

/** Reads the codes of a refusal and their sentences from its description, a list in Markdown. */
const readCodes = (description = '') =>
  [...description.matchAll(/^- `(\w+)`: (.*)$/gm)].map(([, code, meaning]) => ({ code, meaning }))

function toSocket(id, channel, document) {
  const framesOf = (action) => {
    const { messages = [] } = document.operations[`${id}_${action}`] ?? {}
    return messages.map((message) => follow(follow(message, document), document))
  }
  const { address, summary, description, tags } = channel
  return {
    kind: 'socket',
    id,
    method: 'WS',
    path: address,
    summary,
    // The table of close codes has a place of its own.
    description: description.replace(/\n### Close codes\n.*$/s, ''),
    tag: tags[0].name,
    isPublic: channel['x-guard'] === undefined,
    closes: Object.entries(channel['x-closes'] ?? {}),
    received: framesOf('receive'),
    sent: framesOf('send'),
    errors: [],
  }
}

/** Returns what a reference names, or the part itself. */
function follow(part, document) {
  if (typeof part?.$ref !== 'string') return part
  return part.$ref
    .slice(2)
    .split('/')
    .reduce((at, name) => at?.[name.replaceAll('~1', '/')], document)
}

/** Lists every code with its sentences, its statuses and the operations that answer it. */
function listErrors(operations) {
  const byCode = new Map()
  for (const { id, errors } of operations)
    for (const { status, code, meaning } of errors) {
      const known = byCode.get(code) ?? {
        code,
        statuses: new Set(),
        meanings: new Set(),
        operations: new Set(),
      }
      known.statuses.add(status)
      known.meanings.add(meaning)
      known.operations.add(id)
      byCode.set(code, known)
    }
  return [...byCode.values()].sort((a, b) => (a.code < b.code ? -1 : 1))
}

/** Finds entries whose names, paths, words and codes have all words of the text; the best come first. */
export function findEntries({ entries }, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const scored = entries.map((entry) => {
    const { id, summary, method, path, tag, description, errors, received = [], sent = [] } = entry
    const strong = `${id} ${summary}`.toLowerCase()
    const fair = `${method} ${path} ${tag}`.toLowerCase()
    const frames = [...received, ...sent].map(({ name, title }) => `${name} ${title}`)
    const weak =
      `${description} ${errors.map(({ code }) => code).join(' ')} ${frames.join(' ')}`.toLowerCase()
    const scores = words.map((word) =>
      strong.includes(word) ? 4 : fair.includes(word) ? 2 : weak.includes(word) ? 1 : 0,
    )
    // The name itself, also in separate words, comes first.
    const isName = id.toLowerCase() === words.join('')
    return {
      entry,
      score: isName
        ? Number.POSITIVE_INFINITY
        : scores.includes(0)
          ? 0
          : scores.reduce((sum, one) => sum + one, 0),
    }
  })
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry)
}

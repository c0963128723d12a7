import { APICallError } from '@ai-sdk/provider'
import type { ModelDescription } from '#plugin-api'
import { createListFetch } from '../fetch-list.ts'
import { describeRow, LM_STUDIO_OWNER, type Row } from './model-row.ts'
import type { CompatibleConnection } from './options.ts'
import { createUpstream } from './upstream.ts'

/** GitHub lists its models beside the address of its API. */
const GITHUB = 'https://models.github.ai/'

/** The time at which, LiteLLM says, each of its models was created. */
const LITELLM_CREATED = 1_677_610_602

const fetchDetails = createListFetch({
  type: 'object',
  properties: { data: { type: 'array', items: { type: 'object', additionalProperties: true } } },
  required: ['data'],
})

/** Lists the models of an upstream, with what its own lists say of them. */
export async function listModels(
  connection: CompatibleConnection,
  signal: AbortSignal,
): Promise<ModelDescription[]> {
  const isGitHub = connection.base_url!.startsWith(GITHUB)
  const listConnection = isGitHub ? { ...connection, base_url: `${GITHUB}catalog` } : connection
  const rows = toRows(await createUpstream(listConnection).listModels(signal))
  const url = findDetails(rows, connection.base_url!)
  const details = url === undefined ? new Map<unknown, Row>() : await readDetails(url, connection, signal)
  return rows.flatMap((row) => describeRow({ ...row, ...details.get(row.id) }) ?? [])
}

/** Returns the rows of an answer to `GET /models`; empty if it has none. */
function toRows(answer: unknown): Row[] {
  const list = Array.isArray(answer) ? answer : (answer as { data?: unknown } | null)?.data
  return Array.isArray(list) ? list.filter((row) => typeof row === 'object' && row !== null) : []
}

/** Returns the address of a list that says more, for programs that have one. */
function findDetails(rows: readonly Row[], base_url: string): string | undefined {
  const isEach = (name: string, value: unknown) => rows.length > 0 && rows.every((row) => row[name] === value)
  if (isEach('created', LITELLM_CREATED)) return `${base_url}/model/info`
  return isEach('owned_by', LM_STUDIO_OWNER) ? `${base_url.replace(/\/v1$/, '')}/api/v0/models` : undefined
}

/** Reads the rows of such a list by the ids of their models; empty if the upstream refuses it, as not every key may read it. */
async function readDetails(
  url: string,
  { api_key, options, fetch }: CompatibleConnection,
  signal: AbortSignal,
): Promise<Map<unknown, Row>> {
  const headers = { ...(api_key && { authorization: `Bearer ${api_key}` }), ...options.headers }
  try {
    const { data } = await fetchDetails(url, { headers, signal, fetch })
    return new Map((data as Row[]).toReversed().map(({ model_name, id = model_name, ...row }) => [id, row]))
  } catch (error) {
    if (APICallError.isInstance(error) && !signal.aborted) return new Map()
    throw error
  }
}

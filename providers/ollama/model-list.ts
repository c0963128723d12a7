import { APICallError } from '@ai-sdk/provider'
import type { Ollama } from 'ollama/browser'
import type { ModelDescription } from '#plugin-api'
import { createClient, type OllamaConnection, readOptions } from './connection.ts'

const MAX_MODELS = 200
const MAX_PARALLEL = 8

/** Lists the installed models that can chat or embed, each with the details of `/api/show`. */
export async function listModels(
  connection: OllamaConnection,
  signal: AbortSignal,
): Promise<ModelDescription[]> {
  const { contextLength } = readOptions(connection)
  const client = await createClient(connection, signal)
  const { models = [] } = await client.list()
  const listed = models.slice(0, MAX_MODELS)
  const described: ModelDescription[][] = []
  const remaining = listed.entries()
  const work = async () => {
    for (const [index, { model, name }] of remaining) {
      const id = model || name
      described[index] = describeModel({ id, name }, await findFacts(client, id), contextLength)
    }
  }
  await Promise.all(Array.from({ length: MAX_PARALLEL }, work))
  return described.flat()
}

/** The details of a model that are used here. */
interface Facts {
  capabilities?: string[]
  model_info?: Record<string, unknown>
}

async function findFacts(client: Ollama, model: string): Promise<Facts> {
  try {
    return (await client.show({ model })) as unknown as Facts
  } catch (error) {
    // A model that is damaged or was just removed must not prevent the listing of the others.
    if (APICallError.isInstance(error) && error.statusCode !== undefined) return {}
    throw error
  }
}

function describeModel(
  names: { id: string; name: string },
  { capabilities, model_info = {} }: Facts,
  contextLength: number | undefined,
): ModelDescription[] {
  const limit = model_info[`${model_info['general.architecture']}.context_length`]
  const window = typeof limit === 'number' ? limit : undefined
  const context_window = window && contextLength ? Math.min(window, contextLength) : (window ?? contextLength)
  // Servers before April 2025 do not report capabilities.
  if (!capabilities) return [{ ...names, context_window }]
  const can = (capability: string) => capabilities.includes(capability)
  if (!can('completion')) return can('embedding') ? [{ ...names, embedding: true, context_window }] : []
  const input: ModelDescription['input'] = ['text']
  if (can('vision')) input.push('image')
  if (can('audio')) input.push('audio')
  return [
    { ...names, embedding: false, context_window, input, tools: can('tools'), reasoning: can('thinking') },
  ]
}

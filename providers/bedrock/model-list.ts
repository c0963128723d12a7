import { inferModelKind, type ModelDescription, type TypeOf } from '#plugin-api'
import { createListFetch } from '../fetch-list.ts'
import { createAuthorizedFetch } from './authorized-fetch.ts'
import { type BedrockConnection, toControlURL } from './connection.ts'

const MAX_PAGES = 20

const string = { type: 'string' } as const
const text = { type: ['string', 'null'] } as const
const texts = { type: ['array', 'null'], items: string } as const

const foundationModel = {
  type: 'object',
  properties: {
    modelId: string,
    modelName: text,
    providerName: text,
    inputModalities: texts,
    outputModalities: texts,
    responseStreamingSupported: { type: ['boolean', 'null'] },
    inferenceTypesSupported: texts,
  },
  required: ['modelId'],
} as const
type FoundationModel = TypeOf<typeof foundationModel>

const fetchModels = createListFetch({
  type: 'object',
  properties: { modelSummaries: { type: 'array', items: foundationModel } },
  required: ['modelSummaries'],
})

const fetchProfiles = createListFetch({
  type: 'object',
  properties: {
    inferenceProfileSummaries: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          inferenceProfileId: string,
          inferenceProfileName: string,
          models: {
            type: 'array',
            items: { type: 'object', properties: { modelArn: string }, required: ['modelArn'] },
          },
        },
        required: ['inferenceProfileId', 'inferenceProfileName', 'models'],
      },
    },
    nextToken: text,
  },
  required: ['inferenceProfileSummaries'],
})

/** Lists the models of the region that can be called by their ids, and the inference profiles for the others. */
export async function listModels(
  connection: BedrockConnection,
  signal: AbortSignal,
): Promise<ModelDescription[]> {
  const root = toControlURL(connection)
  const request = { signal, fetch: await createAuthorizedFetch(connection) }

  const { modelSummaries } = await fetchModels(`${root}/foundation-models`, request)
  const models = modelSummaries
    .filter((model) => model.inferenceTypesSupported?.includes('ON_DEMAND') && kindOf(model))
    .map((model) => describe(model.modelId, readName(model), model))

  const modelsById = new Map(modelSummaries.map((model) => [model.modelId, model]))
  let after = ''
  for (let n = 0; n < MAX_PAGES; n += 1) {
    const url = `${root}/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED${after}`
    const { inferenceProfileSummaries, nextToken } = await fetchProfiles(url, request)
    for (const profile of inferenceProfileSummaries) {
      const model = modelsById.get(profile.models[0]?.modelArn.split('/').at(-1) ?? '')
      if (!model || kindOf(model))
        models.push(describe(profile.inferenceProfileId, profile.inferenceProfileName, model))
    }
    if (!nextToken) break
    after = `&nextToken=${encodeURIComponent(nextToken)}`
  }
  return models
}

/** Returns the kind of a model; undefined for those that the server has no use for, such as models of videos. */
function kindOf({ modelId, outputModalities, responseStreamingSupported }: FoundationModel) {
  const returns = (modality: string) => outputModalities?.includes(modality)
  if (returns('EMBEDDING')) return 'embedding'
  if (returns('TEXT') === false) return returns('IMAGE') ? 'image' : undefined
  if (responseStreamingSupported !== false) return 'chat'
  // A model that cannot stream cannot chat.
  return inferModelKind(modelId) === 'rerank' ? 'rerank' : undefined
}

const readName = ({ modelId, modelName, providerName }: FoundationModel) =>
  modelName ? `${providerName ?? ''} ${modelName}`.trim() : modelId

const INPUTS = { TEXT: 'text', IMAGE: 'image', SPEECH: 'audio', AUDIO: 'audio' } as const

function describe(id: string, name: string, model: FoundationModel | undefined): ModelDescription {
  const input = model?.inputModalities?.flatMap((modality) => INPUTS[modality as keyof typeof INPUTS] ?? [])
  return {
    id,
    name,
    ...(model && { model_kind: kindOf(model) }),
    ...(input && input.length > 0 && { input: [...new Set(input)] }),
  }
}

/** An exception of AWS: its name, its HTTP status and its message. */
export type AwsException = [name: string, status: number, message: string]

/** Two profiles of Claude, one that thinks adaptively and one that thinks by a budget, and models called directly. */
export const ADAPTIVE_MODEL = 'us.anthropic.claude-opus-4-6-v1'
export const BUDGET_MODEL = 'us.anthropic.claude-haiku-4-5-20251001-v1:0'
export const OLD_MODEL = 'anthropic.claude-3-haiku-20240307-v1:0'
export const NOVA_MODEL = 'amazon.nova-lite-v1:0'

/** Two that embed. */
export const TITAN_MODEL = 'amazon.titan-embed-text-v2:0'
export const COHERE_MODEL = 'cohere.embed-multilingual-v3'

/** One that draws, and one that ranks. */
export const CANVAS_MODEL = 'amazon.nova-canvas-v1:0'
export const RERANK_MODEL = 'cohere.rerank-v3-5:0'

/** The refusal of an unknown id. */
export const NO_SUCH_MODEL: AwsException = [
  'ValidationException',
  400,
  'The provided model identifier is invalid.',
]

const foundationModel = (
  modelId: string,
  inputs: string,
  output: string,
  inference: string,
  streams = true,
) => ({
  modelArn: `arn:aws:bedrock:us-east-1::foundation-model/${modelId}`,
  modelId,
  modelName: modelId.split('.')[1],
  providerName: modelId.split('.')[0],
  inputModalities: inputs.split(' '),
  outputModalities: [output],
  responseStreamingSupported: streams,
  customizationsSupported: [],
  inferenceTypesSupported: inference.split(' '),
  modelLifecycle: { status: 'ACTIVE' },
})

const PROFILES = [ADAPTIVE_MODEL, BUDGET_MODEL, 'us.stability.stable-image-core-v1:1']
const withoutGeography = (profile: string) => profile.slice(profile.indexOf('.') + 1)

/** All of `GET /foundation-models`; some can be called directly, some by a profile, some neither way or not by us. */
export const FOUNDATION_MODELS = [
  foundationModel(withoutGeography(ADAPTIVE_MODEL), 'TEXT IMAGE', 'TEXT', 'INFERENCE_PROFILE'),
  foundationModel(withoutGeography(BUDGET_MODEL), 'TEXT IMAGE', 'TEXT', 'INFERENCE_PROFILE'),
  foundationModel(OLD_MODEL, 'TEXT IMAGE', 'TEXT', 'ON_DEMAND'),
  foundationModel(`${OLD_MODEL}:48k`, 'TEXT IMAGE', 'TEXT', 'PROVISIONED'),
  foundationModel(NOVA_MODEL, 'TEXT IMAGE VIDEO', 'TEXT', 'ON_DEMAND INFERENCE_PROFILE'),
  foundationModel(TITAN_MODEL, 'TEXT', 'EMBEDDING', 'ON_DEMAND', false),
  foundationModel(COHERE_MODEL, 'TEXT', 'EMBEDDING', 'ON_DEMAND', false),
  foundationModel(CANVAS_MODEL, 'TEXT IMAGE', 'IMAGE', 'ON_DEMAND', false),
  foundationModel(RERANK_MODEL, 'TEXT', 'TEXT', 'ON_DEMAND', false),
  foundationModel('stability.stable-image-core-v1:1', 'TEXT', 'IMAGE', 'INFERENCE_PROFILE', false),
]

/** A page of `GET /inference-profiles`; it is shorter than what is asked for, as AWS allows itself. */
export function listProfiles(query: URLSearchParams): object {
  const first = Number(query.get('nextToken') ?? 0)
  const next = first + 2
  const inferenceProfileSummaries = PROFILES.slice(first, next).map((inferenceProfileId) => ({
    inferenceProfileName: `US ${withoutGeography(inferenceProfileId)}`,
    description: 'Routes requests to us-east-1 and us-west-2.',
    createdAt: '2026-02-05T00:00:00Z',
    updatedAt: '2026-02-05T00:00:00Z',
    inferenceProfileArn: `arn:aws:bedrock:us-east-1:123456789012:inference-profile/${inferenceProfileId}`,
    inferenceProfileId,
    models: ['us-east-1', 'us-west-2'].map((region) => ({
      modelArn: `arn:aws:bedrock:${region}::foundation-model/${withoutGeography(inferenceProfileId)}`,
    })),
    status: 'ACTIVE',
    type: 'SYSTEM_DEFINED',
  }))
  return { inferenceProfileSummaries, ...(next < PROFILES.length && { nextToken: String(next) }) }
}

/** Returns Bedrock's refusal of a model that it lacks, or that has another id. */
export function refusalOfModel(id: string): AwsException | undefined {
  if (PROFILES.includes(id)) return undefined
  const model = FOUNDATION_MODELS.find(({ modelId }) => modelId === id)
  if (!model) return NO_SUCH_MODEL
  if (model.inferenceTypesSupported.includes('ON_DEMAND')) return undefined
  const message = `Invocation of model ID ${id} with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.`
  return ['ValidationException', 400, message]
}

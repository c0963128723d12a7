import { AppError } from '#kernel'

/** Finds an agent that a client names as a model; throws OPENAI_MODEL_NOT_FOUND if it does not exist. */
export async function asModel<Agent>(model: string, agent: Promise<Agent>): Promise<Agent> {
  try {
    return await agent
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'AGENT_NOT_FOUND')) throw error
    throw new AppError('OPENAI_MODEL_NOT_FOUND', { model, parameter: 'model' })
  }
}

import { client } from '../server/client.ts'
import { ifMatch, refresh, send } from '../server/send.ts'
import type { Prompt } from './use-prompts.ts'

/** The settings of a prompt that somebody writes. */
export interface PromptValues {
  name: string
  description: string
  text: string
}

export const NEW_PROMPT: PromptValues = { name: '', description: '', text: '' }

export const valuesOf = ({ name, description, text }: Prompt): PromptValues => ({
  name,
  description: description ?? '',
  text,
})

const bodyOf = <Values extends Partial<PromptValues>>({ description, ...values }: Values) => ({
  ...values,
  ...(description !== undefined && { description: description.trim() || null }),
})

export async function createPrompt(values: PromptValues): Promise<void> {
  const { name, text, ...others } = values
  await send(client.POST('/prompts', { body: { name, text, ...bodyOf(others) } }))
  await refresh('/prompts')
}

export async function changePrompt(
  id: string,
  changes: Partial<PromptValues>,
  tag?: string | null,
): Promise<void> {
  await send(
    client.PATCH('/prompts/{id}', { params: { path: { id } }, body: bodyOf(changes), headers: ifMatch(tag) }),
  )
  await refresh('/prompts')
}

export async function deletePrompt(id: string): Promise<void> {
  await send<unknown>(client.DELETE('/prompts/{id}', { params: { path: { id } } }))
  await refresh('/prompts')
}

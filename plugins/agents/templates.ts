import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locale } from '#kernel'
import type { AgentSettings, Expert } from '#plugin-api'

/** The expert that the assistant of every new account is made from. */
export const DEFAULT_TEMPLATE = 'general-assistant'

/** What an agent has from its template where nothing else is given. */
export function settingsFrom(
  { description, welcome_message, icon, color }: Expert,
  locale: Locale,
): Partial<AgentSettings> {
  return { description: description[locale], welcome_message: welcome_message[locale], icon, color }
}

/** Copies what a template's workspace begins with. */
export async function seedWorkspace({ files }: Expert, locale: Locale, workspace: string): Promise<void> {
  await cp(join(files, locale), workspace, { recursive: true })
}

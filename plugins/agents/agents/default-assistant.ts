import { AppError, chooseLocale } from '#kernel'
import type { Cradle } from './manifest.ts'

const NAME = 'assistant'
const TEMPLATE = 'general-assistant'

/** Creates the assistant of a new account, unless the account already has an agent of that name. */
export async function createDefaultAssistant(
  { user_id }: { user_id: string },
  { agents, extensions, users }: Pick<Cradle, 'agents' | 'extensions' | 'users'>,
): Promise<void> {
  const user = await users.find(user_id)
  if (!user) return
  const template_name = extensions['agents.experts'].get(TEMPLATE) ? TEMPLATE : null
  const locale = chooseLocale(undefined, user.locale)
  try {
    await agents.create({ id: user._id, username: user.username }, { name: NAME, template_name }, { locale })
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'AGENT_NAME_TAKEN')) throw error
  }
}

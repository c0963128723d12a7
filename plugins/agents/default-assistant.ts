import { AppError, type Cradle, chooseLocale } from '#kernel'
import { DEFAULT_TEMPLATE } from './templates.ts'

const NAME = 'assistant'

const TEXTS = {
  description: {
    en: 'A general assistant for questions, writing and files.',
    zh: '通用助手：解答问题、写作、处理文件。',
  },
  welcome_message: {
    en: 'Hello! Ask me anything, or give me something to work on.',
    zh: '您好！您可以向我提问，也可以交给我一项任务。',
  },
}

/** Gives a new account its assistant; an account that has one keeps it. */
export async function createDefaultAssistant(
  { user_id }: { user_id: string },
  { agents, users }: Pick<Cradle, 'agents' | 'users'>,
): Promise<void> {
  const user = await users.find(user_id)
  if (!user) return
  const locale = chooseLocale(undefined, user.locale)
  try {
    await agents.create(
      { id: user._id, username: user.username },
      {
        name: NAME,
        template_name: DEFAULT_TEMPLATE,
        description: TEXTS.description[locale],
        welcome_message: TEXTS.welcome_message[locale],
      },
    )
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'AGENT_NAME_TAKEN')) throw error
  }
}

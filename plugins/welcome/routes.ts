import { route } from './manifest.ts'
import { cronExamples, welcome } from './schemas.ts'
import { createWelcome } from './welcome.ts'

const getWelcome = route({
  method: 'GET',
  path: '/agents/:id/chat/welcome',
  operation_id: 'getWelcome',
  summary: "Read an agent's greeting, and prompts to begin a conversation with",
  guard: 'agent',
  response: { 200: welcome },
}).handle(({ agent }, { extensions }) => createWelcome(agent, extensions['agents.experts']))

/** Accounts that an agent is shared with may read these too: the welcome has the same examples. */
const getCronExamples = route({
  method: 'GET',
  path: '/agents/:id/cron/examples',
  operation_id: 'listTaskExamples',
  summary: 'List examples of scheduled tasks for an agent, the same as in its welcome',
  guard: 'agent',
  response: { 200: cronExamples },
}).handle(({ agent }, { extensions }) => {
  const { task_examples } = createWelcome(agent, extensions['agents.experts'])
  return { task_examples }
})

/** The routes of this plugin. */
export const welcomeRoutes = [getWelcome, getCronExamples]

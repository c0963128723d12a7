import { toJobs } from './example-jobs.ts'
import { route } from './manifest.ts'
import { cronExamples, examplesQuery, welcome } from './schemas.ts'
import { createWelcome } from './welcome.ts'

const getWelcome = route({
  method: 'GET',
  path: '/agents/:id/chat/welcome',
  operation_id: 'getWelcome',
  summary: 'Get the welcome of an agent',
  description:
    "Returns the greeting with which a client begins an empty conversation, and prompts and tasks to choose from. The greeting is the agent's own, otherwise that of the expert it was made from; prompts and tasks always come from an expert.",
  guard: 'agent',
  response: { 200: welcome },
}).handle(({ agent }, { extensions }) => createWelcome(agent, extensions['agents.experts']))

/** Accounts that an agent is shared with may read these too: the welcome has the same examples. */
const getCronExamples = route({
  method: 'GET',
  path: '/agents/:id/cron/examples',
  operation_id: 'listTaskExamples',
  summary: 'List examples of scheduled tasks',
  description:
    'Returns three or six tasks that the agent could do by itself at fixed times; the same ones are in its welcome. Each is also returned as the body of a new schedule.',
  guard: 'agent',
  query: examplesQuery,
  response: { 200: cronExamples },
}).handle(({ agent, query }, { extensions }) => {
  const { task_examples } = createWelcome(agent, extensions['agents.experts'])
  return { task_examples, jobs: toJobs(task_examples, query.timezone) }
})

/** The routes of this plugin. */
export const welcomeRoutes = [getWelcome, getCronExamples]

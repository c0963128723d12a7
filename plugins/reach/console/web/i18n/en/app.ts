import answers from './answers.json'
import approvals from './approvals.json'
import chat from './chat.json'
import conversations from './conversations.json'
import firstRun from './first-run.json'
import forms from './forms.json'
import frame from './frame.json'
import models from './models.json'
import needs from './needs.json'
import projects from './projects.json'
import prompts from './prompts.json'
import search from './search.json'
import tools from './tools.json'

export default {
  answers,
  approvals,
  chat,
  conversations,
  'first-run': firstRun,
  forms,
  frame,
  models,
  needs,
  projects,
  prompts,
  search,
  tools,
}

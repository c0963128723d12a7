import account from './account.json'
import agents from './agents.json'
import channels from './channels.json'
import chat from './chat.json'
import forms from './forms.json'
import frame from './frame.json'
import invites from './invites.json'
import models from './models.json'
import tools from './tools.json'

export default { account, agents, channels, chat, forms, frame, models, tools, invites, people }

import people from './people.json'

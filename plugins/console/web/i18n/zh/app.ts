import chat from './chat.json'
import frame from './frame.json'

export default { chat, frame }

import common from './common.json'
import preferences from './preferences.json'
import signIn from './sign-in.json'

export default { common, preferences, 'sign-in': signIn }

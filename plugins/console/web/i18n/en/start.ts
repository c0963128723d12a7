import common from './common.json'
import signIn from './sign-in.json'

export default { common, 'sign-in': signIn }

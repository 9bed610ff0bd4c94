// The login that the person has typed, read when its form is sent: by the rules of what may be filled.
const readLogin = LOGIN_FORM
let typedUser = null
let typedPassword = null
const onTyped = (event) => {
  const el = event.composedPath()[0]
  if (!event.isTrusted || el?.localName !== 'input') return
  if (el.type === 'password') typedPassword = el
  else typedUser = el
}
addEventListener('input', onTyped, { capture: true, passive: true })
const onSent = (isSent) => {
  const field = [typedPassword, typedUser].find((el) => el?.isConnected && el.value && isSent(el))
  const form = field && readLogin.call(field, '', false)
  if (!form?.fields) return
  const { user, password } = globalThis.pilothouseLogin.nodes
  delete globalThis.pilothouseLogin
  if (password && password !== typedPassword) return
  const login = { form, user: user ? user.value : '', password: password ? password.value : '' }
  try {
    pilothouseSentLogin(JSON.stringify(login))
  } catch {}
}
addEventListener(
  'submit',
  (event) => event.isTrusted && onSent((el) => el.form === event.composedPath()[0]),
  { capture: true, passive: true },
)
// Fields without a form, and those of a shadow root, out of which no `submit` comes.
const isAlone = (el) => !el.form || el.getRootNode() !== document
const BUTTON = 'button,[role=button],input[type=submit],input[type=button],input[type=image]'
const onPressed = (event) => {
  if (event.isTrusted && event.composedPath().some((el) => el.matches?.(BUTTON))) onSent(isAlone)
}
const onEnter = (event) => {
  const at = event.composedPath()[0]
  if (event.isTrusted && event.key === 'Enter') onSent((el) => el === at && isAlone(el))
}
addEventListener('click', onPressed, { capture: true, passive: true })
addEventListener('keydown', onEnter, { capture: true, passive: true })

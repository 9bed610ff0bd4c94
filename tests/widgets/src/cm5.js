import CodeMirror from 'codemirror5'
import 'codemirror5/addon/edit/closebrackets.js'
import 'codemirror5/mode/javascript/javascript.js'

const options = { mode: 'application/json', autoCloseBrackets: true, lineNumbers: true }
const editor = CodeMirror(window.place, { value: window.old, ...options })
window.held = () => editor.getValue()

import { json } from '@codemirror/lang-json'
import { EditorView, basicSetup } from 'codemirror'

const view = new EditorView({ doc: window.old, extensions: [basicSetup, json()], parent: window.place })
window.held = () => view.state.doc.toString()

"""The widgets of the zoo: how each page is built, what has to be done with it, and what it must hold then.

`value` is read from the widget itself, by the JavaScript expression `held`. What is asked is in the words of acts, which
name a control as a person would.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Act:
    """One act: a `Move` whose control is named by its words instead of an eid."""

    action: str
    on: str = ""
    role: str = ""
    """Of the control, where its name is not unique."""
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Widget:
    name: str
    family: str
    page: str
    acts: tuple[Act, ...]
    held: str
    """A JavaScript expression of the page's own world."""
    value: object
    seen: tuple[str, ...]
    """What the first look must say, such as the control with its value."""
    shows: tuple[str, ...]
    """What the look after the acts must say."""


def click(on: str, role: str = "", **more: object) -> Act:
    return Act("click", on, role, more)


def type_(on: str, text: str, role: str = "", **more: object) -> Act:
    return Act("type", on, role, {"text": text, **more})


def select(on: str, option: str, role: str = "") -> Act:
    return Act("select", on, role, {"option": option})


def press(key: str) -> Act:
    return Act("press", arguments={"key": key})


def _of(*files: str) -> str:
    """The files of packages that a page uses."""
    return "".join(
        f"<link rel=stylesheet href=/npm/{one}>"
        if one.endswith(".css")
        else f"<script src=/npm/{one}></script>"
        for one in files
    )


def _react(file: str, kind: str) -> str:
    return f"<div id=root style='padding:30px;max-width:600px'></div><script>window.kind = '{kind}'</script><script type=module src=/bundled/{file}.js></script>"


_FRUITS = "<option>Apple<option>Banana<option>Cherry<option>Dark cherry"
_SELECT = f"<label for=f>Fruit</label> <select id=f>{_FRUITS}</select>"
_MANY = "<label for=f>Fruit</label> <select id=f multiple><option selected>Apple<option>Banana<option>Cherry</select>"
_CHOSEN = "[...document.querySelector('#f').selectedOptions].map(one => one.text).join()"
_VALUE = "document.querySelector('#f').value"
_JQUERY = "jquery/dist/jquery.min.js"
_UI = (_JQUERY, "jquery-ui-dist/jquery-ui.min.css", "jquery-ui-dist/jquery-ui.min.js")


def _choosing() -> list[Widget]:
    def one(
        name: str,
        page: str,
        held: str = _CHOSEN,
        value: object = "Cherry",
        on: str = "Fruit",
        shows: str = "Cherry",
    ) -> Widget:
        return Widget(name, "choosing", page, (select(on, "Cherry"),), held, value, (on,), (shows,))

    react = [
        one(name, _react(file, kind), "held()")
        for name, file, kind in (
            ("react-select", "select", "single"), ("MUI Select", "mui", "select"), ("MUI Autocomplete", "mui", "autocomplete"),
            ("Ant Design Select", "antd", "select"), ("Ant Design Select with a search", "antd", "search"),
            ("Headless UI Listbox", "headless", "listbox"), ("Headless UI Combobox", "headless", "combobox"),
            ("downshift select", "headless", "downshift"), ("Radix Select", "radix", "select"),
            ("React Aria Select", "aria", "select"), ("React Aria ComboBox", "aria", "combobox"),
        )
    ]  # fmt: skip
    many = [
        Widget(name, "choosing", page, (select("Fruit", "Cherry"),), held, "Apple,Cherry", ("Apple",), ("Apple", "Cherry"))
        for name, page, held in (
            ("select of several", _MANY, _CHOSEN),
            ("react-select of several", _react("select", "multi"), "held()"),
            ("Ant Design Select of several", _react("antd", "multi"), "held()"),
            ("MUI Autocomplete of several", _react("mui", "multi"), "held()"),
        )
    ]  # fmt: skip
    return [
        one("select", _SELECT),
        one("select2", _of(_JQUERY, "select2/dist/css/select2.min.css", "select2/dist/js/select2.min.js") + _SELECT + "<script>$('#f').select2({width: 200})</script>"),
        one("Choices", _of("choices.js/public/assets/styles/choices.min.css", "choices.js/public/assets/scripts/choices.min.js") + _SELECT + "<script>new Choices('#f')</script>"),
        one("Tom Select", _of("tom-select/dist/css/tom-select.min.css", "tom-select/dist/js/tom-select.complete.min.js") + _SELECT + "<script>new TomSelect('#f')</script>"),
        one("Slim Select", _of("slim-select/dist/slimselect.css", "slim-select/dist/slimselect.js") + _SELECT + "<script>new SlimSelect({select: '#f'})</script>"),
        one("Virtual Select", _of("virtual-select-plugin/dist/virtual-select.min.css", "virtual-select-plugin/dist/virtual-select.min.js") + "<div id=f></div><script>VirtualSelect.init({ele: '#f', ariaLabelText: 'Fruit', options: ['Apple','Cherry','Dark cherry'].map(x => ({label: x, value: x})), search: true})</script>", "document.querySelector('#f').value"),
        one("jQuery UI selectmenu", _of(*_UI) + _SELECT + "<script>$('#f').selectmenu({width: 200})</script>"),
        one("jQuery UI autocomplete", _of(*_UI) + "<label>Fruit <input id=f></label><script>$('#f').autocomplete({source: ['Apple','Cherry','Dark cherry']})</script>", _VALUE),
        one("Awesomplete", _of("awesomplete/awesomplete.css", "awesomplete/awesomplete.min.js") + "<label>Fruit <input id=f data-list='Apple, Cherry, Dark cherry'></label><script>new Awesomplete(f)</script>", _VALUE),
        one("accessible-autocomplete", _of("accessible-autocomplete/dist/accessible-autocomplete.min.css", "accessible-autocomplete/dist/accessible-autocomplete.min.js") + "<label for=f>Fruit</label><div id=b></div><script>accessibleAutocomplete({element: b, id: 'f', source: ['Apple','Cherry','Dark cherry']})</script>", _VALUE),
        one("Shoelace select", _shoelace("<sl-select id=f label=Fruit><sl-option value=a>Apple</sl-option><sl-option value=c>Cherry</sl-option></sl-select>"), _VALUE, "c"),
        one("Ant Design TreeSelect", _react("antd", "tree"), "held()"),
        *react,
        *many,
    ]  # fmt: skip


def _shoelace(markup: str) -> str:
    return f"<link rel=stylesheet href=/npm/@shoelace-style/shoelace/cdn/themes/light.css><script type=module src=/npm/@shoelace-style/shoelace/cdn/shoelace-autoloader.js></script>{markup}"


def _dates() -> list[Widget]:
    def one(name: str, page: str, text: str, value: object, held: str = _VALUE, on: str = "Day") -> Widget:
        return Widget(name, "dates", page, (type_(on, text),), held, value, (on,), (text,))

    field = "<label>Day <input id=f></label>"
    return [
        one("date field", "<label>Day <input type=date id=f></label>", "2027-03-05", "2027-03-05"),
        one("time field", "<label>Day <input type=time id=f></label>", "14:30", "14:30"),
        one("month field", "<label>Day <input type=month id=f></label>", "2027-03", "2027-03"),
        one("week field", "<label>Day <input type=week id=f></label>", "2027-W09", "2027-W09"),
        one("date and time field", "<label>Day <input type=datetime-local id=f></label>", "2027-03-05T14:30", "2027-03-05T14:30"),
        one("flatpickr with typing", _of("flatpickr/dist/flatpickr.min.css", "flatpickr/dist/flatpickr.min.js") + field + "<script>p = flatpickr(f, {allowInput: true})</script>", "2027-03-05", "2027-03-05", "p.selectedDates[0] && p.formatDate(p.selectedDates[0], 'Y-m-d')"),
        Widget("flatpickr", "dates", _of("flatpickr/dist/flatpickr.min.css", "flatpickr/dist/flatpickr.min.js") + field + "<script>p = flatpickr(f, {defaultDate: '2027-03-01'})</script>", (click("Day"), click("March 5, 2027")), _VALUE, "2027-03-05", ("2027-03-01",), ("2027-03-05",)),
        one("Pikaday", _of("pikaday/css/pikaday.css", "pikaday/pikaday.js") + field + "<script>p = new Pikaday({field: f, toString: d => `${d.getFullYear()}-${String(d.getMonth()+1).padStart(2,0)}-${String(d.getDate()).padStart(2,0)}`, parse: s => new Date(`${s}T12:00`)})</script>", "2027-03-05", "2027-3-5", "p.getDate() && [p.getDate().getFullYear(), p.getDate().getMonth()+1, p.getDate().getDate()].join('-')"),
        one("vanillajs-datepicker", _of("vanillajs-datepicker/dist/css/datepicker.min.css", "vanillajs-datepicker/dist/js/datepicker.min.js") + field + "<script>p = new Datepicker(f, {format: 'yyyy-mm-dd'})</script>", "2027-03-05", "2027-03-05", "p.getDate('yyyy-mm-dd')"),
        Widget("air-datepicker", "dates", _of("air-datepicker/air-datepicker.css", "air-datepicker/air-datepicker.js") + field + "<script>p = new AirDatepicker(f, {startDate: new Date(2027, 2, 1), dateFormat: 'yyyy-MM-dd'})</script>", (click("Day"), click("5")), _VALUE, "2027-03-05", ("Day",), ("2027-03-05",)),
        one("jQuery UI datepicker", _of(*_UI) + field + "<script>$('#f').datepicker({dateFormat: 'yy-mm-dd'})</script>", "2027-03-05", "2027-03-05", "$.datepicker.formatDate('yy-mm-dd', $('#f').datepicker('getDate'))"),
        one("react-datepicker", _react("dates", "picker"), "2027-03-05", "2027-3-5", "held()"),
        Widget("react-day-picker", "dates", _react("dates", "days"), (click("Friday, March 5th, 2027"),), "held()", "2027-3-5", ("March 2027",), ("selected",)),
        one("Ant Design DatePicker", _react("antd", "date"), "2027-03-05", "2027-03-05", "held()"),
        Widget("React Aria DateField", "dates", _react("aria", "date"), (type_("month, Day", "3"), type_("day, Day", "5"), type_("year, Day", "2027")), "held()", "2027-03-05", ("Day",), ("2027",)),
    ]  # fmt: skip


def _numbers() -> list[Widget]:
    def one(
        name: str,
        page: str,
        text: str,
        value: object,
        held: str = _VALUE,
        on: str = "Amount",
        shows: str = "",
    ) -> Widget:
        return Widget(
            name, "numbers and ranges", page, (type_(on, text),), held, value, (on,), (shows or text,)
        )

    field = "<label>Amount <input id=f></label>"
    slider = "<div id=f aria-label=Amount style='margin:40px 20px;width:300px'></div>"
    return [
        one("range", "<label>Amount <input type=range id=f max=200 value=5></label>", "120", "120"),
        one("number field", "<label>Amount <input type=number id=f step=0.01></label>", "12.50", "12.50"),
        one("colour field", "<label>Amount <input type=color id=f></label>", "#3366ff", "#3366ff"),
        one("noUiSlider", _of("nouislider/dist/nouislider.min.css", "nouislider/dist/nouislider.min.js") + slider + "<script>s = noUiSlider.create(f, {start: 20, range: {min: 0, max: 200}, step: 1, handleAttributes: [{'aria-label': 'Amount'}]})</script>", "120", 120, "+s.get()"),
        one("jQuery UI spinner", _of(*_UI) + field + "<script>$('#f').spinner()</script>", "42", 42, "$('#f').spinner('value')"),
        one("inputmask", _of("inputmask/dist/inputmask.min.js") + field + "<script>Inputmask('9999-9999').mask(f)</script>", "1234-5678", "1234-5678"),
        one("inputmask of a currency", _of("inputmask/dist/inputmask.min.js") + field + "<script>Inputmask('currency', {prefix: '', groupSeparator: ''}).mask(f)</script>", "12.50", "12.50"),
        one("IMask", _of("imask/dist/imask.min.js") + field + "<script>m = IMask(f, {mask: '+{44} 0000 000000'})</script>", "+44 1234 567890", "441234567890", "m.unmaskedValue"),
        one("Cleave of a card", _of("cleave.js/dist/cleave.min.js") + field + "<script>m = new Cleave(f, {creditCard: true})</script>", "4111 1111 1111 1111", "4111111111111111", "m.getRawValue()"),
        one("AutoNumeric", _of("autonumeric/dist/autoNumeric.min.js") + field + "<script>m = new AutoNumeric(f)</script>", "1234.50", "1234.5", "String(m.getNumber())", shows="1,234.50"),
        one("intl-tel-input", _of("intl-tel-input/dist/css/intlTelInput.min.css", "intl-tel-input/dist/js/intlTelInputWithUtils.min.js") + field + "<script>t = intlTelInput(f, {initialCountry: 'gb'})</script>", "07400 123456", "+447400123456", "t.getNumber()", on="7400 123456", shows="7400 123456"),
        one("rc-slider", _react("inputs", "slider"), "70", 70, "held()"),
        one("MUI Slider", _react("mui", "slider"), "70", 70, "held()"),
        one("Ant Design Slider", _react("antd", "slider"), "70", 70, "held()"),
        one("Ant Design InputNumber", _react("antd", "number"), "12.5", 12.5, "held()"),
        one("Radix Slider", _react("radix", "slider"), "70", 70, "held()"),
        one("React Aria Slider", _react("aria", "slider"), "70", 70, "held()"),
        one("React Aria NumberField", _react("aria", "number"), "1200", 1200, "held()", shows="1,200"),
        one("react-number-format", _react("inputs", "number"), "1234.5", 1234.5, "held()", shows="1,234.5"),
        one("Shoelace range", _shoelace("<sl-range id=f label=Amount max=200></sl-range>"), "120", 120),
        one("input-otp", _react("inputs", "otp"), "482913", "482913", "held()", shows="filled"),
    ]  # fmt: skip


def _texts() -> list[Widget]:
    def one(name: str, page: str, held: str, text: str = "Dear Ann,\nsee you.", on: str = "") -> Widget:
        return Widget(
            name,
            "text",
            page,
            (type_(on, text, "textbox"),),
            held,
            text,
            ("Old text",),
            tuple(text.split("\n")),
        )

    area = "<label>Note <textarea id=f rows=5>Old text</textarea></label>"
    return [
        one("text area", area, _VALUE, on="Note"),
        one("Quill", _of("quill/dist/quill.snow.css", "quill/dist/quill.js") + "<div id=f>Old text</div><script>q = new Quill(f, {theme: 'snow'})</script>", "q.getText().trim()"),
        one("Trix", _of("trix/dist/trix.css", "trix/dist/trix.umd.min.js") + "<input id=v type=hidden value='Old text'><trix-editor id=f input=v></trix-editor>", "document.querySelector('#f').editor.getDocument().toString().trim()"),
        one("EasyMDE", _of("easymde/dist/easymde.min.css", "easymde/dist/easymde.min.js") + area + "<script>m = new EasyMDE({element: f, spellChecker: false, autoDownloadFontAwesome: false})</script>", "m.value()"),
        one("Jodit", _of("jodit/es2021/jodit.min.css", "jodit/es2021/jodit.min.js") + area + "<script>j = Jodit.make(f)</script>", "j.editor.innerText.replace(/\\n+/g, '\\n').trim()"),
        one("Ace", _of("ace-builds/src-min-noconflict/ace.js") + "<div id=f style='height:200px;width:600px'>Old text</div><script>a = ace.edit(f)</script>", "a.getValue()"),
        one("CodeMirror 6", _react("inputs", "code"), "held()"),
        one("MUI TextField", _react("mui", "text"), "held()", on="Note"),
        one("Ant Design TextArea", _react("antd", "area"), "held()", on="Note"),
        one("contenteditable", "<div id=f contenteditable aria-label=Note style='padding:9px'>Old text</div>", "document.querySelector('#f').innerText.replace(/\\n+/g, '\\n').trim()", on="Note"),
        Widget("Tagify", "text", _of("@yaireo/tagify/dist/tagify.css", "@yaireo/tagify/dist/tagify.js") + "<label for=f>Tags</label><input id=f aria-label=Tags value=red><script>t = new Tagify(f)</script>", (type_("", "blue", "textbox", submit=True),), "t.value.map(one => one.value).join()", "red,blue", ("red",), ("blue",)),
    ]  # fmt: skip


def _switches() -> list[Widget]:
    def one(
        name: str,
        page: str,
        held: str = "held()",
        on: str = "Agree",
        value: object = True,
        seen: str = "",
        shows: str = "checked",
    ) -> Widget:
        return Widget(name, "switches", page, (click(on),), held, value, (seen or on,), (shows,))

    return [
        one("check box", "<label><input type=checkbox id=f> Agree</label>", "f.checked"),
        one("Bootstrap switch", _of("bootstrap/dist/css/bootstrap.min.css") + "<div class='form-check form-switch'><input class=form-check-input type=checkbox role=switch id=f><label class=form-check-label for=f>Agree</label></div>", "f.checked"),
        one("MUI Switch", _react("mui", "switch")),
        one("MUI Checkbox", _react("mui", "checkbox")),
        one("Ant Design Switch", _react("antd", "switch")),
        one("Ant Design Checkbox", _react("antd", "checkbox")),
        one("Headless UI Switch", _react("headless", "switch")),
        one("Radix Checkbox", _react("radix", "checkbox")),
        one("React Aria Switch", _react("aria", "switch")),
        one("Shoelace switch", _shoelace("<sl-switch id=f>Agree</sl-switch>"), "f.checked"),
        one("Shoelace checkbox", _shoelace("<sl-checkbox id=f>Agree</sl-checkbox>"), "f.checked"),
        one("radio buttons", "<fieldset><legend>Pay by</legend><label><input type=radio name=p value=a checked> Agree not</label><label><input type=radio name=p value=b> Agree</label></fieldset>", "document.querySelector('[name=p]:checked').value", value="b"),
        one("Ant Design Radio", _react("antd", "radio"), value="b"),
        one("Headless UI RadioGroup", _react("headless", "radio"), value="b"),
        one("MUI Rating", _react("mui", "rating"), on="4 Stars", value=4),
        one("Radix ToggleGroup", _react("radix", "toggle"), on="Bold", value="bold"),
    ]  # fmt: skip


def _layers() -> list[Widget]:
    def one(
        name: str, page: str, acts: tuple[Act, ...], held: str, value: object, seen: str, shows: str
    ) -> Widget:
        return Widget(name, "layers", page, acts, held, value, (seen,), (shows,))

    boot = _of("bootstrap/dist/css/bootstrap.min.css", "bootstrap/dist/js/bootstrap.bundle.min.js")
    done = "<p id=o>nothing</p>"
    said = "document.querySelector('#o').textContent"
    return [
        one("Bootstrap modal", boot + f"<button data-bs-toggle=modal data-bs-target=#m>Delete draft</button>{done}<div class='modal fade' id=m><div class=modal-dialog><div class=modal-content><p>Sure?</p><button data-bs-dismiss=modal onclick='o.textContent=`gone`'>Yes, remove</button></div></div></div>", (click("Delete draft"), click("Yes, remove")), said, "gone", "Delete draft", "gone"),
        one("Bootstrap dropdown", boot + f"<div class=dropdown><button class='btn dropdown-toggle' data-bs-toggle=dropdown>More</button><ul class=dropdown-menu><li><a class=dropdown-item href=# onclick='o.textContent=`copied`'>Duplicate</a></ul></div>{done}", (click("More"), click("Duplicate")), said, "copied", "More", "copied"),
        one("Bootstrap tabs", boot + "<ul class='nav nav-tabs' role=tablist><li><button class='nav-link active' data-bs-toggle=tab data-bs-target=#a role=tab>First</button><li><button class=nav-link id=t data-bs-toggle=tab data-bs-target=#b role=tab>Second</button></ul><div class=tab-content><div class='tab-pane active' id=a>One</div><div class=tab-pane id=b>Words of two</div></div>", (click("Second"),), "t.classList.contains('active')", True, "First", "Words of two"),
        one("Bootstrap collapse", boot + "<button data-bs-toggle=collapse data-bs-target=#c>Details</button><div class=collapse id=c>Inner words</div>", (click("Details"),), "c.classList.contains('show') || c.classList.contains('collapsing')", True, "Details", "Inner words"),
        one("SweetAlert2", _of("sweetalert2/dist/sweetalert2.all.min.js") + f"<button onclick=\"Swal.fire({{title: 'Your name', input: 'text'}}).then(r => o.textContent = r.value)\">Ask</button>{done}", (click("Ask"), type_("", "Ann", "textbox"), click("OK")), said, "Ann", "Ask", "Ann"),
        one("Micromodal", _of("micromodal/dist/micromodal.min.js") + f"<style>.modal{{display:none}}.modal.is-open{{display:block}}</style><button data-micromodal-trigger=m>Open it</button>{done}<div class=modal id=m aria-hidden=true><div tabindex=-1 data-micromodal-close><div role=dialog aria-modal=true><button data-micromodal-close onclick='o.textContent=`fine`'>Fine</button></div></div></div><script>MicroModal.init()</script>", (click("Open it"), click("Fine")), said, "fine", "Open it", "fine"),
        one("a11y-dialog", _of("a11y-dialog/dist/a11y-dialog.min.js") + f"<style>[aria-hidden=true]{{display:none}}</style><button data-a11y-dialog-show=m>Open it</button>{done}<div id=m data-a11y-dialog=m aria-hidden=true aria-label=Question><div role=document><button data-a11y-dialog-hide onclick='o.textContent=`fine`'>Fine</button></div></div>", (click("Open it"), click("Fine")), said, "fine", "Open it", "fine"),
        one("MUI Menu", _react("mui", "menu"), (click("More"), click("Duplicate")), "held()", "Duplicate", "More", "More"),
        one("MUI Tabs", _react("mui", "tabs"), (click("Second"),), "held()", 1, "First", 'tab "Second" selected'),
        one("Headless UI Menu", _react("headless", "menu"), (click("More"), click("Duplicate")), "held()", "Duplicate", "More", "More"),
        one("Radix DropdownMenu", _react("radix", "menu"), (click("More"), click("Duplicate")), "held()", "Duplicate", "More", "More"),
        one("Radix ContextMenu", _react("radix", "context"), (click("report.txt", manner="right"), click("Duplicate")), "held()", "Duplicate", "report.txt", "report.txt"),
        one("Radix Dialog", _react("radix", "dialog"), (click("Rename"), type_("New name", "b.txt"), click("Save")), "held()", "b.txt", "Rename", "b.txt"),
        one("Shoelace dialog", _shoelace(f"<sl-button onclick='d.show()'>Open it</sl-button>{done}<sl-dialog id=d label=Question><sl-button onclick='o.textContent=`fine`;d.hide()'>Fine</sl-button></sl-dialog>"), (click("Open it"), click("Fine")), said, "fine", "Open it", "fine"),
    ]  # fmt: skip


def _collections() -> list[Widget]:
    def one(
        name: str, page: str, acts: tuple[Act, ...], held: str, value: object, seen: str, shows: str
    ) -> Widget:
        return Widget(name, "tables, lists, trees", page, acts, held, value, (seen,), (shows,))

    tree = "<div id=t></div><script>$('#t').jstree({core: {multiple: true, data: [{id: 'a', text: 'Reports', children: [{id: 'b', text: 'May'}]}, {id: 'c', text: 'Bills'}]}})</script>"
    jstree = _of(_JQUERY, "jstree/dist/themes/default/style.min.css", "jstree/dist/jstree.min.js") + tree
    grid = "<div id=g style='height:240px;width:600px'></div>"
    sort = (
        _of("sortablejs/Sortable.min.js")
        + "<ul id=l><li>Alpha<li>Beta<li>Gamma</ul><script>new Sortable(l)</script>"
    )
    return [
        one("jsTree", jstree, (click("Bills"),), "$('#t').jstree().get_selected().join()", "c", "Bills", "Bills"),
        one("jsTree with Ctrl", jstree, (click("Reports"), click("Bills", manner="ctrl")), "$('#t').jstree().get_selected().join()", "a,c", "Bills", "Bills"),
        one("Tabulator", _of("tabulator-tables/dist/css/tabulator.min.css", "tabulator-tables/dist/js/tabulator.min.js") + grid + "<script>t = new Tabulator('#g', {data: [{id: 1, name: 'Oak'}, {id: 2, name: 'Lime'}], columns: [{title: 'Name', field: 'name', editor: 'input'}]})</script>", (click("Oak"), type_("", "Elm", "textbox", submit=True)), "t.getData()[0].name", "Elm", "Oak", "Elm"),
        one("Tabulator sorted", _of("tabulator-tables/dist/css/tabulator.min.css", "tabulator-tables/dist/js/tabulator.min.js") + grid + "<script>t = new Tabulator('#g', {data: [{id: 1, name: 'Oak'}, {id: 2, name: 'Lime'}], columns: [{title: 'Name', field: 'name'}]})</script>", (click("Name"),), "t.getRows('active').map(one => one.getData().name).join()", "Lime,Oak", "Oak", "Lime"),
        one("AG Grid", _of("ag-grid-community/dist/ag-grid-community.min.js") + grid + "<script>a = agGrid.createGrid(g, {rowData: [{name: 'Oak'}, {name: 'Lime'}], columnDefs: [{field: 'name', editable: true}]})</script>", (click("Oak", manner="double"), type_("", "Elm", "textbox", submit=True)), "a.getDisplayedRowAtIndex(0).data.name", "Elm", "Oak", "Elm"),
        one("simple-datatables", _of("simple-datatables/dist/style.css", "simple-datatables/dist/umd/simple-datatables.js") + "<table id=g><thead><tr><th>Name</thead><tbody>" + "".join(f"<tr><td>Row {at}" for at in range(40)) + "</tbody></table><script>d = new simpleDatatables.DataTable(g)</script>", (type_("Search", "37"),), "document.querySelectorAll('#g tbody tr').length", 1, "Row 1", "Row 37"),
        one("react-window", _react("inputs", "window"), (Act("scroll", arguments={"query": "Person 180"}), click("Person 180")), "held()", "Person 180", "Person 1", "Person 180"),
        one("react-virtuoso", _react("inputs", "virtuoso"), (Act("scroll", arguments={"query": "Person 180"}), click("Person 180")), "held()", "Person 180", "Person 1", "Person 180"),
        one("SortableJS", sort, (Act("drag", "Alpha", arguments={"to": "Gamma"}),), "l.innerText.split(/\\n+/).map(x => x.trim()).join()", "Beta,Gamma,Alpha", "Alpha", "Alpha"),
        one("Plyr", _of("plyr/dist/plyr.css", "plyr/dist/plyr.min.js") + "<audio id=f src=/tone.wav></audio><script>p = new Plyr(f)</script>", (click("Play"),), "p.playing", True, "Play", "Pause"),
        one("audio element", "<audio id=f controls aria-label=Tone src=/tone.wav></audio>", (click("Tone, paused"),), "!f.paused", True, "Tone", "playing"),
        one("Dropzone", _of("dropzone/dist/dropzone.css", "dropzone/dist/dropzone-min.js") + "<form action=/got id=z class=dropzone></form><script>Dropzone.autoDiscover = false; d = new Dropzone(z, {autoProcessQueue: false})</script>", (Act("upload", "Drop files here to upload", arguments={"file": "a.txt"}),), "d.files.map(one => one.name).join()", "a.txt", "Drop files", "a.txt"),
        one("FilePond", _of("filepond/dist/filepond.min.css", "filepond/dist/filepond.min.js") + "<input type=file id=f><script>p = FilePond.create(f)</script>", (Act("upload", "Drag & Drop your files or Browse", arguments={"file": "a.txt"}),), "p.getFiles().map(one => one.filename).join()", "a.txt", "Browse", "a.txt"),
    ]  # fmt: skip


WIDGETS = [*_choosing(), *_dates(), *_numbers(), *_texts(), *_switches(), *_layers(), *_collections()]

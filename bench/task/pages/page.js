// Reports what was done to the site, as the back end of a real page would be called.
const report = (name, fields) => fetch('/effect/' + name, {
  method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(fields),
});
const FIRST = 'Anna Bruno Clara David Elena Farid Greta Hugo Ines Jonas Katya Leon Mina Nadia Oskar Paula'.split(' ');
const LAST = 'Almeida Becker Costa Dahl Eriksen Fischer Garcia Horvat Ivanov Jansen Kovacs Larsen Meyer'.split(' ');
const person = at => FIRST[at * 7 % 16] + ' ' + LAST[at * 5 % 13];

// The CSS of the page. Colours are variables for a light and a dark theme; f0-f15 and g0-g15 are
// the terminal palette for text and background.
#include "bindings/inspect/report/page.h"

namespace gibbous::report {

std::string_view page_style() {
  return R"css(
:root{color-scheme:light dark;--ground:#f6f7f9;--card:#fff;--text:#1b2330;--quiet:#667085;
--line:#e2e6ec;--soft:#f0f2f5;--accent:#3056d3;--good:#1a7f4b;--bad:#c8322b;--warn:#b26a00;
--late:#a3470e;--lost:#8a3fa8;--run:#2563c9;--wait:#98a2b3;--mark:#1b2330;--cpu:#3056d3;
--memory:#0e8a80;--pre:#fbfbfc;--err:#fdf3f2;
--a0:#24292f;--a1:#c0271f;--a2:#1a7f37;--a3:#946200;--a4:#0b5cc4;--a5:#8a3fa8;--a6:#0b7a80;
--a7:#6e7781;--a8:#57606a;--a9:#d63a31;--a10:#22953f;--a11:#a87200;--a12:#2f7be0;--a13:#a457c4;
--a14:#15929a;--a15:#8c959f}
@media(prefers-color-scheme:dark){:root{--ground:#0e1117;--card:#161b23;--text:#e3e8ef;
--quiet:#8d98a9;--line:#272e39;--soft:#1d232d;--accent:#84a3ff;--good:#3fb573;--bad:#f2645c;
--warn:#e0a33c;--late:#e8864d;--lost:#c58be0;--run:#5b9bf5;--wait:#56606f;--mark:#f5f7fa;
--cpu:#84a3ff;--memory:#3fc2b4;--pre:#11151c;--err:#231719;
--a0:#6e7681;--a1:#ff7b72;--a2:#56d364;--a3:#e3b341;--a4:#79b8ff;--a5:#d2a8ff;--a6:#56d4dd;
--a7:#c9d1d9;--a8:#8b949e;--a9:#ffa198;--a10:#7ee787;--a11:#f2cc60;--a12:#a5d0ff;--a13:#e2c5ff;
--a14:#8ae8ee;--a15:#f0f6fc}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:1180px;margin:0 auto;padding:32px 24px 64px}
code,pre,.id,time,.when{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",
monospace;
font-size:.87em}
h1{margin:0;font-size:30px;line-height:1.2;letter-spacing:-.02em;overflow-wrap:anywhere}
h2{margin:0 0 12px;font-size:18px}h3{margin:18px 0 6px;font-size:13px;color:var(--quiet)}
p{margin:4px 0}.quiet{color:var(--quiet);font-size:13px}.note{color:var(--quiet);font-size:13px}
section{margin-top:32px}
.tiles{display:flex;flex-wrap:wrap;gap:10px;margin-top:18px}
.tile{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:10px 16px;
min-width:96px;border-top:3px solid var(--line)}
.tile b{display:block;font-size:22px;line-height:1.25;font-variant-numeric:tabular-nums}
.tile span{color:var(--quiet);font-size:13px}
.tile.completed{border-top-color:var(--good)}.tile.failed,.tile.lost{border-top-color:var(--bad)}
.tile.killed,.tile.timeout{border-top-color:var(--warn)}.tile.running{border-top-color:var(--run)}
.timeline{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:6px 0 10px;
overflow:hidden}
.row{display:flex;align-items:center;height:28px;padding:0 16px;color:inherit;text-decoration:none}
a.row:hover,a.row:focus-visible{background:var(--soft)}
.name{flex:0 0 270px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;padding-right:14px;
font-size:12.5px}
.name b{font:600 12px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.name span{color:var(--quiet)}
.track{position:relative;flex:1;height:100%;min-width:0}
.bar{position:absolute;top:13px;height:11px;min-width:4px;border-radius:3px;background:var(--wait)}
.bar.waited{opacity:.45;height:4px;top:16px;min-width:0}
.bar.running,.bar.starting{background:var(--run)}.bar.completed{background:var(--good)}
.bar.failed{background:var(--bad)}.bar.killed{background:var(--warn)}
.bar.timeout{background:var(--late)}.bar.lost{background:var(--lost)}
.bar.running{background:repeating-linear-gradient(115deg,var(--run) 0 9px,
color-mix(in srgb,var(--run) 72%,var(--card)) 9px 14px)}
.mark{position:absolute;top:3px;width:7px;height:7px;margin-left:-3.5px;transform:rotate(45deg);
background:var(--mark);border-radius:1px}
.mark:hover,.verdict:hover{outline:2px solid var(--accent);z-index:2}
.verdict{position:absolute;top:6px;width:5px;height:16px;margin-left:-2px;border-radius:2px;
background:var(--warn)}.verdict.deny{background:var(--bad);z-index:1}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;padding:8px 16px 0;font-size:12px;
color:var(--quiet)}.legend i{position:static;display:inline-block;margin:0 6px 0 0;
vertical-align:-1px}
.legend .verdict{height:11px}.legend .bar{width:18px}.axis{height:26px;
border-bottom:1px solid var(--line);margin-bottom:4px}
.tick{position:absolute;bottom:0;height:6px;width:1px;background:var(--wait)}
.axis .time{position:absolute;top:2px;margin-left:4px;font-size:11.5px;color:var(--quiet);
white-space:nowrap;font-variant-numeric:tabular-nums}
.only{font-size:13px;color:var(--quiet);display:inline-block;margin-bottom:8px}
.wide{overflow:auto;max-height:30em;background:var(--card);border:1px solid var(--line);
border-radius:10px}
table{border-collapse:collapse;width:100%;min-width:640px;font-size:13.5px}
th{position:sticky;top:0;background:var(--card);text-align:left;font-weight:600;color:var(--quiet);
font-size:12px;padding:8px 14px}
td{vertical-align:top;padding:8px 14px;border-top:1px solid var(--line);overflow-wrap:anywhere}
td code{display:block;white-space:pre-wrap}td.when{white-space:nowrap;color:var(--quiet)}
td:nth-child(3){width:42%}
.verdict-word{white-space:nowrap;font-weight:600;font-size:12px;padding:1px 8px;border-radius:99px;
border:1px solid currentColor}
tr.allow .verdict-word{color:var(--good)}tr.ask .verdict-word{color:var(--warn)}
tr.deny .verdict-word{color:var(--bad)}.answer{color:var(--accent)}
#decisions:has(#only:checked) tr.allow{display:none}
button{font:inherit;font-size:13px;color:var(--text);background:var(--card);cursor:pointer;
border:1px solid var(--line);border-radius:7px;padding:3px 12px}button:hover{background:var(--soft)}
.run{background:var(--card);border:1px solid var(--line);border-radius:10px;margin-top:10px;
padding:0 16px;scroll-margin-top:12px}.run[open]{padding-bottom:16px}
.run:target{border-color:var(--accent)}
summary{display:flex;align-items:center;gap:12px;padding:10px 0;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary::before{content:"";flex:none;width:6px;height:6px;margin:0 2px;border:solid var(--quiet);
border-width:0 2px 2px 0;transform:rotate(-45deg)}
[open]>summary::before{transform:rotate(45deg)}
.title{flex:1;min-width:0;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.state{flex:none;width:88px;text-align:center;font-size:12px;font-weight:600;border-radius:99px;
padding:1px 0;color:var(--quiet);border:1px solid currentColor}
.state.completed,.events .completed{color:var(--good)}
.state.failed,.events .failed{color:var(--bad)}
.state.killed,.events .killed{color:var(--warn)}.state.timeout{color:var(--late)}
.state.lost{color:var(--lost)}.state.running{color:var(--run)}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:8px 18px;margin:4px 0;
font-size:13.5px}dl div{min-width:0}dl .whole{grid-column:1/-1}dt{color:var(--quiet);font-size:12px}
dd{margin:0;overflow-wrap:anywhere}
dd code{white-space:pre-wrap}
.curves{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:14px;
margin-top:14px}
.curve{position:relative;margin:0;border:1px solid var(--line);border-radius:8px;padding:8px 12px}
figcaption{font-size:12.5px;color:var(--quiet)}figcaption b{color:var(--text)}
.curve svg{display:block;width:100%;height:72px;margin-top:4px;overflow:visible}
.curve polyline{fill:none;stroke-width:1.75;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.curve polygon{opacity:.14}.cpu polyline{stroke:var(--cpu)}.cpu polygon{fill:var(--cpu)}
.memory polyline{stroke:var(--memory)}.memory polygon{fill:var(--memory)}
.curve .hair{position:absolute;top:30px;height:74px;width:1px;background:var(--quiet);
pointer-events:none}
.span{display:flex;justify-content:space-between;font-size:11px;color:var(--quiet);
border-top:1px solid var(--line);padding-top:2px}
.events{list-style:none;margin:0;padding:0;font-size:13.5px}
.events li{display:flex;gap:12px;padding:1px 0}.events time{color:var(--quiet);flex:none}
.events b{flex:0 1 auto;overflow-wrap:anywhere}.events span{overflow-wrap:anywhere;min-width:0}
pre{margin:0;background:var(--pre);border:1px solid var(--line);border-radius:8px;padding:10px 0;
max-height:34em;overflow:auto;line-height:1.45;tab-size:8;white-space:pre-wrap;
overflow-wrap:anywhere}
pre div{padding:0 12px;unicode-bidi:isolate;min-height:1.45em}
pre .s{box-shadow:inset 3px 0 var(--line)}
pre .e{background:var(--err);box-shadow:inset 3px 0 var(--bad)}
pre .n{color:var(--quiet);font-style:italic}
.b{font-weight:700}.d{opacity:.65}.i{font-style:italic}.u{text-decoration:underline}
.fi{color:var(--pre)}.gi{background:var(--text)}
#tip{position:fixed;z-index:9;max-width:460px;padding:7px 11px;border-radius:8px;font-size:12.5px;
background:var(--text);color:var(--ground);white-space:pre-line;overflow-wrap:anywhere;
pointer-events:none;box-shadow:0 4px 18px rgb(0 0 0/.25)}
footer{margin-top:40px}
@media(max-width:720px){main{padding:20px 12px}.name{flex-basis:110px}
.axis .time:nth-of-type(even){display:none}
.state{width:auto;padding:1px 8px}}
@media print{pre{max-height:none}.only{display:none}}
)css"
         R"css(
.f0{color:var(--a0)}.f1{color:var(--a1)}.f2{color:var(--a2)}.f3{color:var(--a3)}
.f4{color:var(--a4)}.f5{color:var(--a5)}.f6{color:var(--a6)}.f7{color:var(--a7)}
.f8{color:var(--a8)}.f9{color:var(--a9)}.f10{color:var(--a10)}.f11{color:var(--a11)}
.f12{color:var(--a12)}.f13{color:var(--a13)}.f14{color:var(--a14)}.f15{color:var(--a15)}
.g0{background:#24292f}.g1{background:#b62324}.g2{background:#1a7f37}.g3{background:#8a5c00}
.g4{background:#0b5cc4}.g5{background:#8250df}.g6{background:#1b7c83}.g7{background:#c3cad2}
.g8{background:#57606a}.g9{background:#cf222e}.g10{background:#238542}.g11{background:#bf8700}
.g12{background:#2f7be0}.g13{background:#a45ce0}.g14{background:#2a86a0}.g15{background:#eef1f4}
.h{color:#fff}.h.f0,.h.f8{color:#10141a}.h.f7,.h.f15{color:#fff}
.h.g7,.h.g15{color:#10141a}
)css";
}

}  // namespace gibbous::report

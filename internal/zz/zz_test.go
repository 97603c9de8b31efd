package zz
import ("testing";"runtime";"runtime/pprof";"os";"fmt"
"github.com/arena-evals/arena/internal/runner";"github.com/arena-evals/arena/internal/scenario")
func TestMem(t *testing.T){
 os.Chdir("/tmp/s10k/arena-mock")
 runtime.MemProfileRate=512
 s,d:=runner.Load(scenario.Options{Config:"config.arena.yaml",MockConfig:"mock-responses.yaml",Getenv:func(string)(string,bool){return "",false}})
 fmt.Println(d.Errors(), s.Files)
 runtime.GC();runtime.GC()
 var m runtime.MemStats; runtime.ReadMemStats(&m)
 fmt.Printf("live %d MB, sys %d MB, numgc %d peakish next %d\n", m.HeapAlloc>>20, m.Sys>>20, m.NumGC, m.NextGC>>20)
 f,_:=os.Create("/tmp/heap.prof"); pprof.WriteHeapProfile(f); f.Close()
 runtime.KeepAlive(s)
}
